import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { eventually, FREE } from '../codex-server/testbed.ts';
import type { Message } from '../gateway/harness.ts';
import type { RawClient } from '../gateway-http/raw-client.ts';
import { verifies } from '../verifies.ts';
import { call, contentOf, type HttpCodex, settled, shareHttpTestbed, startSession } from './testbed.ts';

const testbed = shareHttpTestbed();
const ASKS = { approvalPolicy: 'untrusted' };
const ELICITS = { elicitation: {} };
const APPROVED = { result: { action: 'accept', content: { decision: 'approve' } } };

let server: HttpCodex;
beforeAll(async () => {
  server = await testbed().serve({ args: ['--tools', 'all', '--auth', 'none'] });
});

const exists = (name: string) => existsSync(join(testbed().home.workDir, name));
const touch = (name: string) => [{ shell: `touch ${name}` }, { message: 'went on' }];

/** Approves every question of Codex, and counts them. */
function approve(client: RawClient): { readonly asked: Message[] } {
  const asked: Message[] = [];
  client.onRequest = (request) => {
    asked.push(request);
    return APPROVED;
  };
  return { asked };
}

verifies(
  'codex:http:approval',
  'a legacy client without a GET stream is asked on the response to its call',
  async () => {
    const client = await server.connect(undefined, ELICITS);
    const { asked } = approve(client);
    const args = { ...FREE, ...ASKS, prompt: script(touch('on-call.txt')), waitSeconds: 50 };
    const started = await client.exchange('tools/call', { name: 'codex_start', arguments: args });
    expect(started.headers.get('content-type')).toBe('text/event-stream');
    expect(started.messages.filter(({ method }) => method === 'elicitation/create')).toHaveLength(1);
    expect(started.response?.result.structuredContent).toMatchObject({ status: 'done', result: 'went on' });
    expect(asked).toHaveLength(1);
    expect(exists('on-call.txt')).toBe(true);
  },
);

verifies('codex:http:approval', 'a question that came while no call waited is asked on the next one', async () => {
  const client = await server.connect(undefined, ELICITS);
  const { asked } = approve(client);
  const sessionId = await startSession(client, touch('later.txt'), ASKS);
  await eventually(async () => (await call(client, 'codex_status', { sessionId }))['status'] === 'awaiting_approval');
  expect(asked).toHaveLength(0);
  expect(await settled(client, sessionId)).toMatchObject({ status: 'done' });
  expect(asked).toHaveLength(1);
  expect(exists('later.txt')).toBe(true);
});

verifies('codex:http:approval', 'a legacy client with a GET stream is asked there while it does not wait', async () => {
  const client = await server.connect(undefined, ELICITS);
  const stop = new AbortController();
  const asked: Message[] = [];
  client.onMessage = (message) => {
    if (message.method !== 'elicitation/create') return;
    asked.push(message);
    void client.post({ id: message.id, ...APPROVED });
  };
  await client.listen(stop.signal);
  const sessionId = await startSession(client, touch('on-get.txt'), ASKS);
  await eventually(async () => (await call(client, 'codex_status', { sessionId }))['status'] === 'done');
  expect(asked).toHaveLength(1);
  expect(exists('on-get.txt')).toBe(true);
  stop.abort();
});

verifies('codex:http:approval', 'only the client whose call started the turn is asked', async () => {
  const [owner, other] = [await server.connect(undefined, ELICITS), await server.connect(undefined, ELICITS)];
  const [own, others] = [approve(owner), approve(other)];
  const stop = new AbortController();
  await other.listen(stop.signal);
  const sessionId = await startSession(owner, touch('own.txt'), ASKS);
  // The other client of the same token waits first, and learns about the question.
  expect(await settled(other, sessionId)).toMatchObject({ status: 'awaiting_approval' });
  const modern = server.client('modern');
  modern.capabilities = ELICITS;
  const waited = await modern.call('codex_wait', { sessionIds: [sessionId], timeoutSeconds: 1 });
  expect(waited.result.resultType).toBe('complete');
  expect(exists('own.txt')).toBe(false);
  expect(await settled(owner, sessionId)).toMatchObject({ status: 'done' });
  expect([own.asked.length, others.asked.length]).toEqual([1, 0]);
  stop.abort();
});

verifies('codex:http:approval', 'a message that another client queued is asked there', async () => {
  const [first, second] = [await server.connect(undefined, ELICITS), await server.connect(undefined, ELICITS)];
  const [of1, of2] = [approve(first), approve(second)];
  const sessionId = await startSession(first, [{ delayMs: 1_500 }, { message: 'one' }], ASKS);
  await call(second, 'codex_say', { sessionId, message: script(touch('queued.txt')), onBusy: 'queue' });
  expect(await settled(second, sessionId)).toMatchObject({ status: 'done', result: 'went on' });
  expect([of1.asked.length, of2.asked.length]).toEqual([0, 1]);
});

verifies('codex:http:approval', 'a modern client is asked in the result of its call', async () => {
  const client = server.client('modern');
  client.capabilities = ELICITS;
  const args = { ...FREE, ...ASKS, prompt: script(touch('modern.txt')), waitSeconds: 50 };
  const params = { name: 'codex_start', arguments: args };
  const first = await client.request('tools/call', params);
  expect(first.result).toMatchObject({ resultType: 'input_required' });
  const { inputRequests, requestState } = first.result;
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, APPROVED.result]));
  const second = await client.request('tools/call', { ...params, requestState, inputResponses });
  expect(second.result.structuredContent).toMatchObject({ status: 'done' });
  expect(exists('modern.txt')).toBe(true);
});

verifies('codex:http:approval', 'the drop-in asks and reports on the response to its call', async () => {
  const client = await server.connect(undefined, ELICITS);
  const { asked } = approve(client);
  const args = { prompt: script(touch('drop-in.txt')), 'approval-policy': 'untrusted', sandbox: 'workspace-write' };
  const { response, messages } = await client.exchange('tools/call', { name: 'codex', arguments: args });
  expect(response?.result).toMatchObject({ structuredContent: { content: 'went on' } });
  expect(asked.map(({ params = {} }) => params['codex_elicitation'])).toEqual(['exec-approval']);
  const types = messages.flatMap(({ method, params = {} }) => {
    const { msg } = params;
    return method === 'codex/event' && isObject(msg) ? [msg['type']] : [];
  });
  expect(types).toEqual(expect.arrayContaining(['session_configured', 'exec_approval_request', 'task_complete']));
  expect(exists('drop-in.txt')).toBe(true);
});

test('a client without elicitation gets the question from codex_wait, and answers with codex_respond', async () => {
  for (const client of [await server.connect(), server.client('modern')]) {
    const name = `${client.era}-responds.txt`;
    const sessionId = await startSession(client, touch(name), ASKS);
    const { pendingQuestion } = await settled(client, sessionId);
    const { id } = isObject(pendingQuestion) ? pendingQuestion : ({} as JsonObject);
    expect(contentOf(await client.call('codex_respond', { sessionId, id, answers: ['approve'] }))).toMatchObject({
      sessionId,
    });
    expect(await settled(client, sessionId)).toMatchObject({ status: 'done' });
    expect(exists(name)).toBe(true);
  }
});
