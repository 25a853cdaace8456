import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createServer, type SampleRequest, type ToolContext } from '../../src/kit/index.ts';
import { createTestClient, type TestClientOptions } from '../../src/kit/testing.ts';
import { verifies } from '../verifies.ts';
import { openRawClient } from './raw-client.ts';

const info = { name: 'test', version: '1.0.0' };
const eras = ['legacy', 'modern'] as const;
const question: SampleRequest = { messages: 'What is the capital of France?', maxTokens: 100 };
const root = { uri: 'file:///srv/app', name: 'app' };

const never = () => new Promise<never>(() => {});

/** A server whose only tool runs this function. */
function createTool(run: (context: ToolContext) => Promise<unknown>) {
  return createServer(info).tool('run', { description: '' }, (_, context) => run(context));
}

async function callOnce(options: TestClientOptions, run: (context: ToolContext) => Promise<unknown>) {
  const client = await createTestClient(createTool(run), options);
  try {
    return await client.callTool('run');
  } finally {
    await client.close();
  }
}

describe.each(eras)('in the %s era', (era) => {
  verifies('kit:sampling:answer', 'the model of the client answers', async () => {
    const asked: unknown[] = [];
    const onSample: TestClientOptions['onSample'] = (request) => {
      asked.push(request);
      return 'Paris';
    };
    const result = await callOnce({ era, onSample }, ({ sample }) =>
      sample({ ...question, systemPrompt: 'Be brief.' }),
    );
    expect(JSON.parse(String(result.content[0]?.['text' as never]))).toEqual({
      role: 'assistant',
      model: 'switchboard-test-client',
      content: { type: 'text', text: 'Paris' },
      text: 'Paris',
    });
    expect(asked).toEqual([
      {
        messages: [{ role: 'user', content: { type: 'text', text: question.messages } }],
        maxTokens: 100,
        systemPrompt: 'Be brief.',
      },
    ]);
  });

  test('the text of an answer comes from its text blocks', async () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image', data: '', mimeType: 'image/png' },
      { type: 'text', text: 'b' },
    ];
    const onSample = () => ({ content, model: 'm', stopReason: 'endTurn' });
    const result = await callOnce({ era, onSample }, async ({ sample }) => {
      const { text, model, stopReason } = await sample(question);
      return `${text} ${model} ${stopReason}`;
    });
    expect(result.content).toEqual([{ type: 'text', text: 'ab m endTurn' }]);
  });

  verifies('kit:roots:list', 'the client lists its roots', async () => {
    const result = await callOnce({ era, roots: [root] }, async ({ roots }) => ({ roots: await roots() }));
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ roots: [root] }) }]);
  });

  test.each([
    ['sampling', { sampling: {} }, ({ sample }: ToolContext) => sample(question)],
    ['roots', { roots: {} }, ({ roots }: ToolContext) => roots()],
  ])('a client without %s is not asked', async (_, requiredCapabilities, run) => {
    const call = callOnce({ era, onElicit: () => ({ action: 'cancel' }) }, run);
    if (era === 'legacy') {
      expect(await call).toMatchObject({
        isError: true,
        _meta: { 'switchboard/error': { code: 'CAPABILITY_MISSING', requiredCapabilities } },
      });
    } else await expect(call).rejects.toMatchObject({ data: { rpcCode: -32021 } });
  });

  test.each([
    ['no model', { content: { type: 'text', text: '' }, model: 5 as never }],
    ['an unknown role', { content: { type: 'text', text: '' }, role: 'system' }],
    ['content without a type', { content: { text: 'Paris' } as never }],
  ])('an answer of the model with %s is an error', async (_, answer) => {
    const result = await callOnce({ era, onSample: () => answer }, ({ sample }) => sample(question));
    expect(result).toMatchObject({ isError: true, _meta: { 'switchboard/error': { code: 'BAD_ANSWER' } } });
  });

  test('roots without a URI are an error', async () => {
    const result = await callOnce({ era, roots: [{ name: 'app' } as never] }, ({ roots }) => roots());
    expect(result).toMatchObject({ isError: true, _meta: { 'switchboard/error': { code: 'BAD_ANSWER' } } });
  });

  test.each([
    ['no messages', { maxTokens: 5 }],
    ['a message without a role', { messages: [{ content: { type: 'text', text: '' } }], maxTokens: 5 }],
    ['no maxTokens', { messages: 'Hi' }],
    ['maxTokens of zero', { messages: 'Hi', maxTokens: 0 }],
  ])('a request with %s is rejected', async (_, request) => {
    const result = await callOnce({ era, onSample: () => '' }, ({ sample }) => sample(request as never));
    expect(result).toMatchObject({ isError: true, _meta: { 'switchboard/error': { code: 'USAGE' } } });
  });

  test('requests that are not answered in time, or are cancelled, reject', async () => {
    const outcomes: string[] = [];
    const server = createTool(async ({ sample }) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 20);
      const report = (error: { code: string }) => outcomes.push(error.code);
      await Promise.all([
        sample(question, { timeoutMs: 20 }).catch(report),
        sample(question, { signal: stop.signal }).catch(report),
      ]);
    });
    const client = await createTestClient(server, { era, onSample: never });
    // A modern client is still busy with the requests when they have expired.
    client.callTool('run').catch(() => undefined);
    await expect.poll(() => outcomes.toSorted()).toEqual(['CANCELLED', 'TIMED_OUT']);
    await client.close();
  });

  test('requests of a client that disconnects reject', async () => {
    const outcomes: string[] = [];
    const server = createTool(({ sample }) =>
      sample(question).catch((error: { code: string }) => outcomes.push(error.code)),
    );
    let isAsked = false;
    const onSample = () => {
      isAsked = true;
      return never();
    };
    const client = await createTestClient(server, { era, onSample });
    client.callTool('run').catch(() => undefined);
    await expect.poll(() => isAsked).toBe(true);
    await client.close();
    expect(outcomes).toEqual(['CONNECTION_CLOSED']);
  });

  test('a resource can ask, too', async () => {
    const server = createServer(info).resource('note://roots', { name: 'roots' }, async ({ roots }) => roots());
    const client = await createTestClient(server, { era, roots: [root] });
    expect(await client.request('resources/read', { uri: 'note://roots' })).toMatchObject({
      contents: [{ uri: 'note://roots', mimeType: 'application/json', text: JSON.stringify([root]) }],
    });
    await client.close();
  });

  test('the model can call tools only if the client declares it', async () => {
    const server = createTool(({ sample }) => sample({ ...question, tools: [{ name: 'add' }] }));
    const client = openRawClient(server);
    const capabilities = { sampling: {} };
    await client.request('initialize', { capabilities });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const { result, error } = await client.request('tools/call', {
      name: 'run',
      ...(era === 'modern' ? { _meta } : {}),
    });
    const requiredCapabilities = { sampling: { tools: {} } };
    if (era === 'legacy')
      expect(result).toMatchObject({
        _meta: { 'switchboard/error': { code: 'CAPABILITY_MISSING', requiredCapabilities } },
      });
    else expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
    await client.close();
  });
});

test('a request of a cancelled call rejects', async () => {
  const stop = new AbortController();
  const outcomes: string[] = [];
  const server = createTool(({ sample }) =>
    sample(question).catch((error: { code: string }) => outcomes.push(error.code)),
  );
  const client = await createTestClient(server, {
    onSample() {
      stop.abort();
      return never();
    },
  });
  await expect(client.callTool('run', {}, { signal: stop.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect.poll(() => outcomes).toEqual(['CANCELLED']);
  await client.close();
});

describe('a modern client', () => {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {}, roots: {} },
  };
  const form = { message: 'Name?', schema: z.object({ name: z.string() }) };
  const named = { action: 'accept', content: { name: 'Ada' } };
  const openAsking = (run: (context: ToolContext) => Promise<unknown>) => {
    const client = openRawClient(createTool(run));
    return {
      client,
      call: (params: object) => client.request('tools/call', { name: 'run', ...params, _meta: envelope }),
    };
  };

  test('gets all requests of one turn together, whichever code was loaded before', async () => {
    const { client, call } = openAsking(({ elicit, sample, roots }) =>
      Promise.all([roots({ key: 'folders' }), elicit(form, { key: 'name' }), sample(question)]),
    );
    const { result } = await call({});
    expect(result?.['inputRequests']).toEqual({
      folders: { method: 'roots/list', params: {} },
      name: { method: 'elicitation/create', params: expect.objectContaining({ message: 'Name?' }) },
      q1: { method: 'sampling/createMessage', params: expect.objectContaining({ maxTokens: 100 }) },
    });
    await client.close();
  });

  test('that knows the key of a request may answer it in the first call', async () => {
    const { client, call } = openAsking(async ({ elicit }) => (await elicit(form, { key: 'name' })).action);
    const known = await call({ inputResponses: { name: named, other: { ignored: true } } });
    expect(known.result).toMatchObject({ resultType: 'complete', content: [{ text: 'accept' }] });
    for (const name of [5, null, 'Ada']) {
      const { result } = await call({ inputResponses: { name } });
      expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    }
    await client.close();
  });

  test('is asked again under the same key if its early answer was not enough', async () => {
    const { client, call } = openAsking(async ({ elicit }) => {
      const early = await elicit(form, { key: 'name' });
      return [early, await elicit(form, { key: 'name' })].map(({ action }) => action).join(' ');
    });
    const { result } = await call({ inputResponses: { name: { action: 'decline' } } });
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    const done = await call({
      requestState: result?.['requestState'],
      inputResponses: { name: named },
    });
    expect(done.result).toMatchObject({ content: [{ text: 'decline accept' }] });
    await client.close();
  });

  test('can cancel a call whose first question it answered early', async () => {
    const outcomes: string[] = [];
    const { client, call } = openAsking(async ({ elicit }) => {
      await elicit(form, { key: 'name' });
      client.notify('notifications/cancelled', { requestId: 1 });
      await elicit(form, { signal: AbortSignal.timeout(5_000) }).catch((error) => outcomes.push(error.code));
    });
    void call({ inputResponses: { name: named } });
    await expect.poll(() => outcomes).toEqual(['CANCELLED']);
    await client.close();
  });

  test('never gets two requests with one key at once', async () => {
    const { client, call } = openAsking(async ({ elicit }) => {
      const both = await Promise.allSettled([elicit(form, { key: 'name' }), elicit(form, { key: 'name' })]);
      return both.map(({ status }) => status).join(' ');
    });
    const { result } = await call({});
    const { requestState } = result ?? {};
    const done = await call({ requestState, inputResponses: { name: named } });
    expect(done.result).toMatchObject({ content: [{ text: 'fulfilled rejected' }] });
    await client.close();
  });

  test('continues only the request that asked: not another resource or prompt', async () => {
    const server = createServer(info)
      .resourceTemplate(
        'note://{id}',
        { name: 'note' },
        async ({ id }, { roots }) => `${id}: ${(await roots()).length}`,
      )
      .prompt('note', { description: '' }, async (_, { roots }) => String((await roots()).length));
    const client = openRawClient(server);
    const send = (method: string, params: object) => client.request(method, { ...params, _meta: envelope });
    const { result } = await send('resources/read', { uri: 'note://1' });
    const answer = { requestState: result?.['requestState'], inputResponses: { q1: { roots: [root] } } };
    expect((await send('resources/read', { uri: 'note://2', ...answer })).error?.code).toBe(-32602);
    expect((await send('prompts/get', { name: 'note', ...answer })).error?.code).toBe(-32602);
    expect((await send('resources/read', { uri: 'note://1', ...answer })).result).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      contents: [{ text: '1: 1' }],
    });
    await client.close();
  });
});
