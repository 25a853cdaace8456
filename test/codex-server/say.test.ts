import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { objectsOf } from '../codex/json.ts';
import { textOf } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { lastPart, member, requestsOf, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const shared = shareTestbed();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const say = (message: string) => [{ message }];
/** A command that ends when the test has written this file. */
const until = (file: string) => ({
  shell: `until [ -e ${file} ]; do sleep 0.1; done`,
  options: { yield_time_ms: 30_000 },
});

verifies(
  ['codex:say:returns', 'codex:say:after-done', 'codex:status:turn-count', 'codex:status:result'],
  'a message to a finished session starts a turn that knows the conversation',
  async () => {
    const flow = await start(shared.client, say('first answer'));
    expect(await flow.settled()).toMatchObject({ status: 'done', result: 'first answer', turnCount: 1 });
    expect(await flow.say([{ hang: true }])).toEqual({ sessionId: flow.id, status: 'active', delivered: 'started' });
    const running = await flow.status();
    expect(running).toMatchObject({ status: 'active', turnCount: 2, recentOutput: ['first answer'], itemEvents: [] });
    expect(Object.keys(running)).not.toContain('result');
    await vi.waitFor(() => expect(requestsOf(shared.testbed.model, flow.id)).toHaveLength(2), 30_000);
    const texts = requestsOf(shared.testbed.model, flow.id)[1]?.input.map((item) => textOf(item['content']));
    expect(texts?.slice(-3)).toEqual([script(say('first answer')), 'first answer', script([{ hang: true }])]);
    await flow.interrupt();
  },
);

verifies('codex:say:after-interrupted', 'a message to an interrupted session starts a turn', async () => {
  const flow = await start(shared.client, [{ hang: true }]);
  await vi.waitFor(() => expect(requestsOf(shared.testbed.model, flow.id)).toHaveLength(1), 30_000);
  await flow.interrupt();
  expect(await flow.say(say('again'), { waitSeconds: 50 })).toMatchObject({ status: 'done', result: 'again' });
  expect(await flow.status()).toMatchObject({ status: 'done', turnCount: 2 });
});

verifies('codex:say:after-error', 'a message to a session in error starts a turn and clears the error', async () => {
  const flow = await start(shared.client, [{ error: 400 }]);
  expect(await flow.settled()).toMatchObject({ status: 'error' });
  const status = await flow.say(say('again'), { waitSeconds: 50 });
  expect(status).toMatchObject({ status: 'done', result: 'again' });
  expect(Object.keys(status)).not.toContain('error');
});

verifies('codex:say:busy', 'a message to a busy session is an error that names the options', async () => {
  const flow = await start(shared.client, [{ hang: true }]);
  const args = { sessionId: flow.id, message: 'hello?' };
  const advice = 'end the turn (codex_interrupt), or set onBusy to "steer" or "queue".';
  const failed = await shared.client.result('codex_say', args);
  expect(failed).toMatchObject({
    isError: true,
    content: [{ text: `Session ${flow.id} is busy with a turn. Wait for it (codex_wait), ${advice}` }],
  });
  await flow.interrupt();
  const waiting = await start(shared.client, [{ shell: 'touch x' }, { message: 'done' }], {
    approvalPolicy: 'untrusted',
  });
  const { id } = await waiting.question();
  expect(await shared.client.failure('codex_say', { ...args, sessionId: waiting.id })).toBe(
    `Session ${waiting.id} waits for an answer to ${id}. Give it (codex_respond), ${advice}`,
  );
  expect(await waiting.status()).toMatchObject({ status: 'awaiting_approval', turnCount: 1 });
  await waiting.interrupt();
});

verifies('codex:say:on-busy-steer', 'with steer, the message enters the running turn', async () => {
  const steps = [until('steered.txt'), { message: 'done' }];
  const flow = await start(shared.client, steps);
  await vi.waitFor(() => expect(requestsOf(shared.testbed.model, flow.id)).toHaveLength(1), 30_000);
  const message = 'and mind: the gap';
  const args = { sessionId: flow.id, message, onBusy: 'steer' };
  expect(await shared.client.call('codex_say', args)).toMatchObject({ status: 'active', delivered: 'steered' });
  await writeFile(join(shared.testbed.home.workDir, 'steered.txt'), '');
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'done', turnCount: 1 });
  const requests = requestsOf(shared.testbed.model, flow.id);
  expect(requests).toHaveLength(2);
  expect(requests[1] === undefined ? [] : lastPart(requests[1]).at(-1)).toEqual(['user', message]);
});

verifies('codex:say:on-busy-queue', 'with queue, messages become the next turns, in order', async () => {
  const flow = await start(shared.client, [until('queued.txt'), { message: 'one' }]);
  const queue = (message: string) => flow.say(say(message), { onBusy: 'queue' });
  expect(await queue('two')).toEqual({ sessionId: flow.id, status: 'active', delivered: 'queued' });
  expect(await queue('three')).toMatchObject({ delivered: 'queued' });
  expect(await flow.status()).toMatchObject({ status: 'active', queuedMessages: 2, turnCount: 1 });
  await writeFile(join(shared.testbed.home.workDir, 'queued.txt'), '');
  expect(await flow.settled()).toMatchObject({ status: 'done', turnCount: 3 });
  expect(await flow.status()).toMatchObject({ result: 'three', recentOutput: ['one', 'two'] });
});

test('a wait for a session includes its queued messages', async () => {
  const flow = await start(shared.client, [{ delayMs: 300 }, { message: 'one' }]);
  await flow.say([{ delayMs: 200 }, { message: 'two' }], { onBusy: 'queue' });
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'two', turnCount: 2 });
});

test('an interrupt drops queued messages and reports how many', async () => {
  const flow = await start(shared.client, [{ hang: true }]);
  await flow.say(say('never'), { onBusy: 'queue' });
  await flow.say(say('neither'), { onBusy: 'queue' });
  expect(await flow.interrupt()).toEqual({ sessionId: flow.id, status: 'interrupted', droppedMessages: 2 });
  const status = await flow.status();
  expect(status).toMatchObject({ status: 'interrupted', turnCount: 1, recentOutput: [] });
  expect(Object.keys(status)).not.toContain('queuedMessages');
  expect(await flow.say(say('but this'), { waitSeconds: 50 })).toMatchObject({ result: 'but this', turnCount: 2 });
});

test('at most twenty messages are queued', async () => {
  const flow = await start(shared.client, [{ hang: true }]);
  for (let count = 0; count < 20; count++) await flow.say(say('x'), { onBusy: 'queue' });
  const args = { sessionId: flow.id, message: 'one more', onBusy: 'queue' };
  expect(await shared.client.failure('codex_say', args)).toContain('20 messages are already queued for session');
  expect(await flow.interrupt()).toMatchObject({ droppedMessages: 20 });
});

verifies('codex:say:keeps-config', 'a later turn keeps the settings of the start', async () => {
  const flow = await start(shared.client, say('one'), {
    model: 'gpt-5.4',
    effort: 'low',
    approvalPolicy: 'never',
    sandbox: 'read-only',
    developerInstructions: 'Mind the gap.',
  });
  await flow.settled();
  expect(await flow.say(say('two'), { waitSeconds: 50 })).toMatchObject({
    result: 'two',
    model: 'gpt-5.4',
    approvalPolicy: 'never',
    sandbox: 'read-only',
  });
  const requests = requestsOf(shared.testbed.model, flow.id);
  expect(requests.map(({ model }) => model)).toEqual(['gpt-5.4', 'gpt-5.4']);
  expect(requests.map(({ body }) => member(body, 'reasoning')['effort'])).toEqual(['low', 'low']);
});

test('overrides in a message apply to later turns', async () => {
  const flow = await start(shared.client, [{ shell: 'touch a' }, { message: 'one' }], { sandbox: 'read-only' });
  await flow.settled();
  const changes = { model: 'gpt-5.4', effort: 'high', approvalPolicy: 'untrusted', sandbox: 'workspace-write' };
  await flow.say([{ shell: 'touch overridden.txt' }, { message: 'two' }], changes);
  await flow.respond((await flow.question()).id, 'approve');
  const status = await flow.settled();
  expect(status).toMatchObject({
    status: 'done',
    model: 'gpt-5.4',
    approvalPolicy: 'untrusted',
    sandbox: 'workspace-write',
  });
  await flow.say([{ shell: 'touch still.txt' }, { message: 'three' }]);
  expect(await flow.question()).toMatchObject({ type: 'command_approval' });
  const last = requestsOf(shared.testbed.model, flow.id).at(-1);
  expect([last?.model, last === undefined ? {} : member(last.body, 'reasoning')]).toMatchObject([
    'gpt-5.4',
    { effort: 'high' },
  ]);
  await flow.interrupt();
});

test('on-failure in a message returns a warning', async () => {
  const flow = await start(shared.client, say('one'));
  await flow.settled();
  const status = await flow.say(say('two'), { approvalPolicy: 'on-failure', waitSeconds: 50 });
  expect(status).toMatchObject({ warnings: [expect.stringContaining('this session runs with "on-request"')] });
});

verifies('codex:say:images', 'images of a message reach the model', async () => {
  await writeFile(join(shared.testbed.home.workDir, 'dot.png'), PNG);
  const flow = await start(shared.client, say('one'));
  await flow.settled();
  expect(await flow.say(say('seen'), { images: ['dot.png'], waitSeconds: 50 })).toMatchObject({ status: 'done' });
  const last = requestsOf(shared.testbed.model, flow.id).at(-1);
  const parts = last?.input.flatMap((item) => objectsOf(item['content'])) ?? [];
  expect(parts.filter(({ type }) => type === 'input_image')).toHaveLength(1);
  expect(await shared.client.failure('codex_say', { sessionId: flow.id, message: 'x', images: ['no.png'] })).toContain(
    'images: there is no file',
  );
});

verifies(
  ['codex:say:required', 'codex:say:nowhere', 'codex:server:arguments-checked'],
  'a message requires a known session and text',
  async () => {
    const { client } = shared;
    expect(await client.failure('codex_say', { message: 'x' })).toContain('sessionId');
    expect(await client.failure('codex_say', { sessionId: 'x' })).toContain('message');
    const unknown = '01a10000-0000-7000-8000-000000000000';
    for (const sessionId of [unknown, 'no-such-thing', '', '../../etc/passwd'])
      expect(await client.failure('codex_say', { sessionId, message: 'x' })).toContain(
        `There is no session ${sessionId}. codex_list shows all sessions.`,
      );
    const flow = await start(client, say('one'));
    await flow.settled();
    expect(await client.failure('codex_say', { sessionId: flow.id, message: '  ' })).toContain('message is empty');
    expect(await client.failure('codex_say', { sessionId: flow.id, message: 'x', onBusy: 'merge' })).toContain(
      'onBusy',
    );
    expect(await flow.status()).toMatchObject({ status: 'done', turnCount: 1 });
    // No state remains of a session that never existed.
    expect(await client.failure('codex_status', { sessionId: unknown })).toContain('There is no session');
  },
);
