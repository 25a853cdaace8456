import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createServer } from '../../src/kit/index.ts';
import { openRawClient as openRaw } from './raw-client.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const envelope = { [VERSION]: '2026-07-28', [CAPABILITIES]: { elicitation: {} } };

const openRawClient = (server = createAsking().server) => openRaw(server);

function createAsking() {
  const ends: string[] = [];
  const server = createServer({ name: 'test', version: '1.0.0', instructions: 'Be brief.' })
    .tool(
      'ask',
      { description: 'Asks.', input: z.object({ topic: z.string().optional() }) },
      async (_, { elicit, signal }) => {
        signal.addEventListener('abort', () => ends.push(String(signal.reason.code)));
        const answer = await elicit({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) }).catch((error) => {
          ends.push(`rejected ${error.code}`);
          throw error;
        });
        return answer.action === 'accept' ? String(answer.content.sure) : answer.action;
      },
    )
    .tool('other', { description: 'Does not ask.' }, () => 'other');
  return { server, ends };
}

const ask = { name: 'ask', arguments: { topic: 'x' } };
const yes = { action: 'accept', content: { sure: true } };

async function suspended(client: ReturnType<typeof openRawClient>) {
  const { result } = await client.request('tools/call', { ...ask, _meta: envelope });
  expect(result).toEqual({
    resultType: 'input_required',
    inputRequests: {
      q1: {
        method: 'elicitation/create',
        params: { message: 'Sure?', requestedSchema: expect.objectContaining({ type: 'object' }) },
      },
    },
    requestState: expect.stringMatching(/^[\w-]{22,}$/),
  });
  return String(result?.['requestState']);
}

afterEach(() => {
  vi.useRealTimers();
});

test('server/discover returns versions, capabilities, instructions and server info', async () => {
  const client = openRawClient();
  const { result } = await client.request('server/discover', { _meta: envelope });
  expect(result).toEqual({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true }, logging: {} },
    instructions: 'Be brief.',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } },
  });
  await client.close();
});

test('every result has its result type and the server info', async () => {
  const client = openRawClient();
  const list = await client.request('tools/list', { _meta: envelope });
  expect(list.result).toMatchObject({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    tools: [{ name: 'ask' }, { name: 'other' }],
  });
  const call = await client.request('tools/call', { name: 'other', _meta: envelope });
  expect(call.result).toEqual({
    resultType: 'complete',
    content: [{ type: 'text', text: 'other' }],
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } },
  });
  await client.close();
});

describe('an invalid envelope is rejected', () => {
  test.each([
    ['no capabilities', { [VERSION]: '2026-07-28' }, -32602, /clientCapabilities/],
    ['no version', { [CAPABILITIES]: {} }, -32602, /protocolVersion/],
    ['a version that is not a string', { [VERSION]: 5, [CAPABILITIES]: {} }, -32602, /protocolVersion/],
    ['an unknown version', { [VERSION]: '2099-01-01', [CAPABILITIES]: {} }, -32022, /2099-01-01/],
  ])('%s', async (_, _meta, code, message) => {
    const client = openRawClient();
    const { error } = await client.request('tools/list', { _meta });
    expect(error?.code).toBe(code);
    expect(error?.message).toMatch(message);
    await client.close();
  });

  test('the supported versions are named', async () => {
    const client = openRawClient();
    const { error } = await client.request('tools/list', { _meta: { ...envelope, [VERSION]: '2099-01-01' } });
    expect(error?.data).toEqual({ supported: ['2026-07-28'], requested: '2099-01-01' });
    await client.close();
  });

  test('a client that has used the modern revision must continue with it, unless it initializes', async () => {
    const client = openRawClient();
    await client.request('server/discover', { _meta: envelope });
    expect((await client.request('tools/list')).error?.code).toBe(-32602);
    expect((await client.request('initialize', { protocolVersion: '2025-06-18' })).result).toMatchObject({
      protocolVersion: '2025-06-18',
    });
    expect((await client.request('tools/list')).result).toEqual({ tools: [expect.anything(), expect.anything()] });
    await client.close();
  });

  test.each(['initialize', 'ping', 'logging/setLevel'])('%s is not part of the modern revision', async (method) => {
    const client = openRawClient();
    expect((await client.request(method, { _meta: envelope })).error?.code).toBe(-32601);
    await client.close();
  });
});

describe('a suspended call', () => {
  test('continues with the answer, under the id of the second request', async () => {
    const client = openRawClient();
    const requestState = await suspended(client);
    const { id, result } = await client.request('tools/call', {
      ...ask,
      requestState,
      inputResponses: { q1: yes },
      _meta: envelope,
    });
    expect(id).toBe(2);
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'true' }] });
    await client.close();
  });

  test('can be continued only once', async () => {
    const client = openRawClient();
    const requestState = await suspended(client);
    const retry = { ...ask, requestState, inputResponses: { q1: yes }, _meta: envelope };
    expect((await client.request('tools/call', retry)).result).toBeDefined();
    expect((await client.request('tools/call', retry)).error?.code).toBe(-32602);
    await client.close();
  });

  test.each([
    ['an invalid state', (state: string) => ({ ...ask, requestState: `${state}x`, inputResponses: { q1: yes } })],
    [
      'another tool',
      (requestState: string) => ({
        name: 'other',
        arguments: { topic: 'x' },
        requestState,
        inputResponses: { q1: yes },
      }),
    ],
    [
      'other arguments',
      (requestState: string) => ({ name: 'ask', arguments: { topic: 'y' }, requestState, inputResponses: { q1: yes } }),
    ],
    ['invalid answers', (requestState: string) => ({ ...ask, requestState, inputResponses: 'yes' })],
    ['an answer that is no object', (requestState: string) => ({ ...ask, requestState, inputResponses: { q1: 1 } })],
  ])('is not continued by %s', async (_, retry) => {
    const client = openRawClient();
    const requestState = await suspended(client);
    expect((await client.request('tools/call', { ...retry(requestState), _meta: envelope })).error?.code).toBe(-32602);
    const rightful = { ...ask, requestState, inputResponses: { q1: yes }, _meta: envelope };
    expect((await client.request('tools/call', rightful)).result).toMatchObject({ content: [{ text: 'true' }] });
    await client.close();
  });

  test.each([[{ q1: yes }], [{}], [null], ['yes']])(
    'is not continued by answers without a state: %j',
    async (answers) => {
      const client = openRawClient();
      const { result } = await client.request('tools/call', { ...ask, inputResponses: answers, _meta: envelope });
      expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { q1: {} } });
      await client.close();
    },
  );

  test('asks again for missing answers, under a new state', async () => {
    const client = openRawClient();
    const requestState = await suspended(client);
    const { result } = await client.request('tools/call', {
      ...ask,
      requestState,
      inputResponses: {},
      _meta: envelope,
    });
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { q1: {} } });
    expect(result?.['requestState']).not.toBe(requestState);
    await client.close();
  });

  test('of one client cannot be continued by another', async () => {
    const { server } = createAsking();
    const [first, second] = [openRawClient(server), openRawClient(server)];
    const requestState = await suspended(first);
    const retry = { ...ask, requestState, inputResponses: { q1: yes }, _meta: envelope };
    expect((await second.request('tools/call', retry)).error?.code).toBe(-32602);
    await Promise.all([first.close(), second.close()]);
  });

  test('expires after five minutes, and its handler gets an error', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
    const { server, ends } = createAsking();
    const client = openRawClient(server);
    const requestState = await suspended(client);
    await vi.advanceTimersByTimeAsync(5 * 60_000 - 1_000);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ends).toEqual(['TIMED_OUT', 'rejected TIMED_OUT']);
    const late = { ...ask, requestState, inputResponses: { q1: yes }, _meta: envelope };
    expect((await client.request('tools/call', late)).error?.code).toBe(-32602);
    await client.close();
  });

  test('is aborted when its second request is cancelled', async () => {
    const { server, ends } = createAsking();
    const waiting = server.tool('twice', { description: '' }, async (_, { elicit, signal }) => {
      await elicit({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) });
      ends.push('goes on');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      ends.push('cleaned up');
      return 'too late';
    });
    const client = openRawClient(waiting);
    const call = { name: 'twice', arguments: {}, _meta: envelope };
    const { result } = await client.request('tools/call', call);
    void client.request('tools/call', { ...call, requestState: result?.['requestState'], inputResponses: { q1: yes } });
    await expect.poll(() => ends).toEqual(['goes on']);
    client.notify('notifications/cancelled', { requestId: 2 });
    await expect.poll(() => ends).toEqual(['goes on', 'cleaned up']);
    await client.close();
  });
});

test('a subscription is acknowledged, tagged with its id, and ends when it is cancelled', async () => {
  const { server } = createAsking();
  const client = openRawClient(server);
  void client.request('subscriptions/listen', {
    notifications: { toolsListChanged: true, promptsListChanged: true },
    _meta: envelope,
  });
  await client.request('tools/list', { _meta: envelope });
  const tag = { 'io.modelcontextprotocol/subscriptionId': 1 };
  const acknowledged = {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: tag, notifications: { toolsListChanged: true } },
  };
  expect(client.notifications).toEqual([acknowledged]);
  server.tool('new', { description: '' }, () => '');
  await client.request('tools/list', { _meta: envelope });
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: tag } };
  expect(client.notifications).toEqual([acknowledged, changed]);
  client.notify('notifications/cancelled', { requestId: 1 });
  await client.request('tools/list', { _meta: envelope });
  server.removeTool('new');
  await client.request('tools/list', { _meta: envelope });
  expect(client.notifications).toEqual([acknowledged, changed]);
  await client.close();
});

describe('unrequested messages are not sent', () => {
  const talkative = () =>
    createServer({ name: 'test', version: '1.0.0' }).tool('talk', { description: '' }, (_, { progress, log }) => {
      progress({ progress: 1 });
      log('debug', 'small');
      log('error', 'large');
      setImmediate(() => progress({ progress: 2 }));
      return 'done';
    });
  const methods = (client: ReturnType<typeof openRawClient>) =>
    client.notifications.map((notification) => JSON.stringify((notification as { params: unknown }).params));

  test('progress without a token or after the result', async () => {
    const client = openRawClient(talkative());
    await client.request('tools/call', { name: 'talk' });
    await client.request('tools/call', { name: 'talk', _meta: { progressToken: 'token' } });
    await client.request('ping');
    await client.request('ping');
    expect(methods(client).filter((params) => params.includes('progress'))).toEqual([
      '{"progressToken":"token","progress":1}',
    ]);
    await client.close();
  });

  test('log messages below the level that the client set', async () => {
    const client = openRawClient(talkative());
    await client.request('tools/call', { name: 'talk' });
    await client.request('logging/setLevel', { level: 'critical' });
    await client.request('tools/call', { name: 'talk' });
    await client.request('logging/setLevel', { level: 'debug' });
    await client.request('tools/call', { name: 'talk' });
    expect(methods(client).filter((params) => params.includes('level'))).toEqual([
      '{"level":"error","data":"large"}',
      '{"level":"debug","data":"small"}',
      '{"level":"error","data":"large"}',
    ]);
    expect((await client.request('logging/setLevel', { level: 'loud' })).error?.code).toBe(-32602);
    await client.close();
  });

  test('log messages to a modern client whose request sets no level', async () => {
    const client = openRawClient(talkative());
    await client.request('tools/call', { name: 'talk', _meta: envelope });
    await client.request('tools/call', {
      name: 'talk',
      _meta: { ...envelope, 'io.modelcontextprotocol/logLevel': 'error' },
    });
    expect(methods(client)).toEqual(['{"level":"error","data":"large"}']);
    await client.close();
  });

  test('tool changes, to a subscriber of something else', async () => {
    const server = talkative();
    const client = openRawClient(server);
    void client.request('subscriptions/listen', { notifications: { promptsListChanged: true }, _meta: envelope });
    await client.request('tools/list', { _meta: envelope });
    server.removeTool('talk');
    await client.request('tools/list', { _meta: envelope });
    expect(methods(client)).toEqual(['{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{}}']);
    await client.close();
  });
});

test('a call cancelled before its elicitation is sent does not wait for an answer', async () => {
  const { server, ends } = createAsking();
  const client = openRawClient(server);
  void client.request('tools/call', { ...ask, _meta: envelope });
  client.notify('notifications/cancelled', { requestId: 1 });
  await expect.poll(() => ends).toEqual(['CANCELLED', 'rejected CANCELLED']);
  await client.close();
});

test('a limited number of calls can wait for their clients, and a handler over the limit gets an error', async () => {
  const { server, ends } = createAsking();
  const client = openRawClient(server);
  const calls = Array.from({ length: 1_001 }, () => client.request('tools/call', { ...ask, _meta: envelope }));
  const answers = await Promise.all(calls);
  expect(answers.filter(({ result }) => result?.['resultType'] === 'input_required')).toHaveLength(1_000);
  expect(answers.find(({ result }) => result?.['resultType'] === 'complete')?.result).toMatchObject({
    isError: true,
    _meta: { 'switchboard/error': { code: 'BUSY', retryable: true } },
  });
  expect(ends).toEqual(['rejected BUSY']);
  await client.close();
});

test('a result that serializes to something else is a failure of the tool', async () => {
  const server = createServer({ name: 'test', version: '1.0.0' }).tool('odd', { description: '' }, () => ({
    content: [],
    toJSON: () => null,
  }));
  const client = openRawClient(server);
  for (const _meta of [{}, envelope]) {
    expect((await client.request('tools/call', { name: 'odd', _meta })).result).toMatchObject({ isError: true });
  }
  await client.close();
});

test('a call without an id runs and gets no response', async () => {
  let runs = 0;
  const server = createServer({ name: 'test', version: '1.0.0' }).tool('count', { description: '' }, () =>
    String(++runs),
  );
  const client = openRawClient(server);
  client.notify('tools/call', { name: 'count' });
  client.notify('tools/call', 'nonsense');
  await client.request('ping');
  expect(runs).toBe(1);
  expect(client.notifications).toEqual([]);
  await client.close();
});
