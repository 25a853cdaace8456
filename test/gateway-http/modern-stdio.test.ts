import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message, type TestClient } from '../gateway/harness.ts';
import { lines, receivedMessages } from '../gateway/scripted-lines.ts';
import { verifies } from '../verifies.ts';
import { envelope } from './envelope.ts';

const { openGateway, openSingle } = gatewayHarness();

/** Sends a modern request. */
function ask(
  client: TestClient,
  method: string,
  params: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Promise<Message> {
  return client.request(method, { ...params, _meta: { ...envelope(), ...meta } });
}

function call(
  client: TestClient,
  name: string,
  args: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Promise<Message> {
  return ask(client, 'tools/call', { name, arguments: args, ...more }, meta);
}

verifies(
  'gateway:modern:discover',
  'a modern client discovers the gateway and lists its tools without initialize',
  async () => {
    const client = openGateway({ one: fixture('well-behaved') }).open();
    const { result } = await ask(client, 'server/discover');
    const serverInfo = expect.objectContaining({ name: 'switchboard' });
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      ...{ ttlMs: 0, cacheScope: 'private' },
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    });
    const list = await ask(client, 'tools/list');
    expect(list.result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
    expect(list.result.tools.map(({ name }: { name: string }) => name)).toContain('one__echo');
  },
);

test('calls are answered in the modern era, and no server sees the envelope', async () => {
  const client = openGateway({ one: fixture('says-anything') }).open();
  await ask(client, 'tools/list');
  const answer = await call(client, 'one__say', lines(), {}, { vendor: 1.0 });
  expect(answer.result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'said' }] });
  const { result } = await call(client, 'one__heard');
  const heard: Message[] = JSON.parse(result.content[0].text).map((line: string) => JSON.parse(line));
  const calls = heard.filter(({ method }) => method === 'tools/call');
  expect(calls.map(({ params }) => params?.['_meta'])).toEqual([{ vendor: 1 }, {}]);
});

describe('an envelope', () => {
  test.each([
    ['without a version', { 'io.modelcontextprotocol/protocolVersion': undefined }, -32602],
    ['with another version', { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }, -32022],
    ['without capabilities', { 'io.modelcontextprotocol/clientCapabilities': undefined }, -32602],
  ])('%s is refused', async (_, meta, code) => {
    const client = openGateway({ one: fixture('well-behaved') }).open();
    await ask(client, 'tools/list');
    const answer = await call(client, 'one__echo', { text: 'x' }, {}, meta);
    expect(answer.error?.code).toBe(code);
  });

  test('is required once the client has used one, until it sends initialize', async () => {
    const client = openGateway({ one: fixture('well-behaved') }).open();
    await ask(client, 'tools/list');
    expect((await client.call('one__echo', { text: 'x' })).error?.code).toBe(-32602);
    await client.initialize();
    expect((await client.call('one__echo', { text: 'x' })).result).toEqual({ content: [{ type: 'text', text: 'x' }] });
  });

  test.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'nonsense'])(
    'does not make %s a method',
    async (method) => {
      const client = openGateway({ one: fixture('well-behaved') }).open();
      expect((await ask(client, method)).error?.code).toBe(-32601);
    },
  );
});

describe('required input', () => {
  const CAPABLE = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {}, roots: {} } };
  const accepted = { action: 'accept', content: { name: 'Ada' } };

  const open = async (name: 'requests-elicitation' | 'requests-sampling' | 'requests-roots') => {
    const client = openGateway({ one: fixture(name) }).open();
    await ask(client, 'tools/list', {}, CAPABLE);
    return client;
  };
  const askFor = (client: TestClient, more: Record<string, unknown> = {}, args = {}) =>
    call(client, 'one__ask', args, more, CAPABLE);
  const answersTo = ({ result }: Message, answer: unknown) => ({
    requestState: result.requestState,
    inputResponses: Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, answer])),
  });

  test('is requested in the result, and the answers continue the same call', async () => {
    const client = await open('requests-elicitation');
    const first = await askFor(client);
    expect(first.result).toEqual({
      resultType: 'input_required',
      inputRequests: {
        [Object.keys(first.result.inputRequests)[0] ?? '']: {
          method: 'elicitation/create',
          params: expect.objectContaining({ message: 'Who are you?' }),
        },
      },
      requestState: expect.stringMatching(/^[\w.-]{49}$/),
    });
    const second = await askFor(client, answersTo(first, accepted));
    expect(second.result.resultType).toBe('complete');
    expect(JSON.parse(second.result.content[0].text).result).toEqual(accepted);
    expect(second.id).not.toBe(first.id);
  });

  test('works once, and only for the same tool and arguments', async () => {
    const client = await open('requests-elicitation');
    const answers = answersTo(await askFor(client), accepted);
    expect((await askFor(client, answers, { other: 1 })).error?.code).toBe(-32602);
    expect((await askFor(client, { ...answers, requestState: 'made up' })).error?.code).toBe(-32602);
    expect((await askFor(client, { ...answers, inputResponses: 7 })).error?.code).toBe(-32602);
    expect((await askFor(client, { inputResponses: null })).error?.code).toBe(-32602);
    expect((await askFor(client, answers)).result.resultType).toBe('complete');
    expect((await askFor(client, answers)).error?.code).toBe(-32602);
  });

  test('is requested again if answers come without a state, because that is a new request', async () => {
    const client = await open('requests-elicitation');
    const first = await askFor(client, { inputResponses: { name: accepted } });
    expect(first.result.resultType).toBe('input_required');
    expect((await askFor(client, answersTo(first, accepted))).result.resultType).toBe('complete');
  });

  test('is requested again if an answer is missing', async () => {
    const client = await open('requests-elicitation');
    const first = await askFor(client);
    const second = await askFor(client, { ...answersTo(first, accepted), inputResponses: {} });
    expect(second.result).toMatchObject({ resultType: 'input_required', inputRequests: first.result.inputRequests });
    expect(second.result.requestState).not.toBe(first.result.requestState);
    const third = await askFor(client, answersTo(second, accepted));
    expect(third.result.resultType).toBe('complete');
  });

  test('is refused if two calls are running on the server, because it could belong to either', async () => {
    const client = openGateway({ one: fixture('says-anything') }).open();
    await ask(client, 'tools/list', {}, CAPABLE);
    const question = { id: 'q', method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } };
    client.send({ jsonrpc: '2.0', id: 'other', ...callParams('one__say', { ...lines(), answers: false }, CAPABLE) });
    await call(client, 'one__say', lines(question), {}, CAPABLE);
    const answers = (await heard(client, CAPABLE)).filter(({ method }) => method === undefined);
    expect(answers).toMatchObject([{ id: 'q', error: { code: -32601 } }]);
  });

  test.each([
    [
      'requests-sampling',
      'sampling/createMessage',
      { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } },
    ],
    ['requests-roots', 'roots/list', { roots: [] }],
  ] as const)('of %s is passed on', async (name, method, answer) => {
    const client = await open(name);
    const tool = (await ask(client, 'tools/list', {}, CAPABLE)).result.tools[0].name;
    const first = await call(client, tool, {}, {}, CAPABLE);
    expect(Object.values(first.result.inputRequests)).toMatchObject([{ method }]);
    const second = await call(client, tool, {}, answersTo(first, answer), CAPABLE);
    expect(second.result.resultType).toBe('complete');
    expect(JSON.stringify(second.result)).toContain(JSON.stringify(JSON.stringify(answer)).slice(3, -3));
  });

  test('ends with the call: a call that is cancelled while it waits is cancelled at the server', async () => {
    const client = openGateway({ one: fixture('says-anything') }).open();
    await ask(client, 'tools/list', {}, CAPABLE);
    const question = { id: 'q', method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } };
    const params = callParams('one__say', { ...lines(question), answers: false }, CAPABLE);
    client.send({ jsonrpc: '2.0', id: 'waiting', ...params });
    await client.answer('waiting');
    client.notify('notifications/cancelled', { requestId: 'waiting' });
    const cancelled = (await heard(client, CAPABLE)).filter(({ method }) => method === 'notifications/cancelled');
    expect(cancelled).toHaveLength(1);
  });
});

describe('a stream of changes', () => {
  const listen = (client: TestClient, notifications: Record<string, unknown>, id: string) => {
    const params = { notifications, _meta: envelope() };
    client.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
    return client.waitFor(
      ({ method, params: given }) =>
        method === 'notifications/subscriptions/acknowledged' &&
        JSON.stringify(given?.['_meta']).includes(JSON.stringify(id)),
    );
  };

  test('reports changed lists under its own id', async () => {
    const client = openGateway({ one: fixture('changes-its-list') }).open();
    await ask(client, 'tools/list');
    const acknowledged = await listen(client, { toolsListChanged: true, promptsListChanged: false }, 'changes');
    expect(acknowledged.params?.['notifications']).toEqual({ toolsListChanged: true });
    await call(client, 'one__grow');
    const changed = await client.waitFor(({ method }) => method === 'notifications/tools/list_changed');
    expect(changed.params).toEqual({ _meta: { 'io.modelcontextprotocol/subscriptionId': 'changes' } });
  });

  test('reports updates of its resources, and the server gets unsubscribe when the last stream ends', async () => {
    const client = openGateway({ one: fixture('offers-everything') }).open();
    await ask(client, 'resources/list');
    const uri = 'test://one/listed';
    await listen(client, { resourceSubscriptions: [uri] }, 'a');
    await listen(client, { resourceSubscriptions: [uri] }, 'b');
    await call(client, 'one__touch', { uri });
    const updates = client.notifications('notifications/resources/updated').map(({ params }) => params);
    expect(updates).toEqual(['a', 'b'].map((id) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id }, uri })));
    client.notify('notifications/cancelled', { requestId: 'a' });
    expect(await subscriptionsOf(client)).toEqual(['resources/subscribe']);
    client.notify('notifications/cancelled', { requestId: 'b' });
    expect(await subscriptionsOf(client)).toEqual(['resources/subscribe', 'resources/unsubscribe']);
  });

  const subscriptionsOf = async (client: TestClient) =>
    (await heard(client)).map(({ method }) => method).filter((method) => method?.endsWith('subscribe'));
});

test('a request gets log messages only at the level that it names', async () => {
  const client = openGateway({ one: fixture('offers-everything') }).open();
  await ask(client, 'tools/list');
  const log = (data: string, level: string, wanted?: string) =>
    call(client, 'one__log', { level, data }, {}, wanted ? { 'io.modelcontextprotocol/logLevel': wanted } : {});
  await log('without a level', 'error');
  await log('below', 'info', 'warning');
  await log('equal', 'warning', 'warning');
  await log('above', 'error', 'debug');
  expect(client.notifications('notifications/message').map(({ params }) => params?.['data'])).toEqual([
    'equal',
    'above',
  ]);
});

test('an unknown resource has the code of the modern era', async () => {
  const client = openGateway({ one: fixture('offers-everything') }).open();
  await ask(client, 'resources/list');
  expect((await ask(client, 'resources/read', { uri: 'test://none' })).error?.code).toBe(-32602);
  const { result } = await ask(client, 'resources/read', { uri: 'test://shared' });
  expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
});

test('a modern client reaches a single server from the command line', async () => {
  const client = openSingle(fixture('well-behaved')).open();
  const { result } = await ask(client, 'server/discover');
  expect(result).toMatchObject({ resultType: 'complete', capabilities: { tools: {} } });
  expect((await call(client, 'echo', { text: 'hi' })).result).toMatchObject({
    resultType: 'complete',
    content: [{ type: 'text', text: 'hi' }],
  });
});

function callParams(name: string, args: Record<string, unknown>, meta: Record<string, unknown>) {
  return { method: 'tools/call', params: { name, arguments: args, _meta: { ...envelope(), ...meta } } };
}

/** A request with other capabilities would go to another process of the server. */
async function heard(client: TestClient, meta = {}): Promise<Message[]> {
  const modern = { call: (name: string) => call(client, name, {}, {}, meta) } as TestClient;
  return receivedMessages(modern, 'one__');
}
