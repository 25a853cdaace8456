import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type InitializeOptions, type Message, type TestClient, type TestGateway } from './harness.ts';
import { lines, receivedMessages, receivedParams } from './scripted-lines.ts';

const { openGateway } = gatewayHarness();

test('two clients with equal ids and tokens each get their own progress and responses', async () => {
  const [left, right] = await two(openGateway({ one: fixture('floods-progress'), two: fixture('well-behaved') }));
  await left.toolNames();
  await right.toolNames();
  const [fromLeft, fromRight] = [left.received.length, right.received.length];
  for (let id = 100; id < 110; id++) {
    left.send(callOf(id, 'one__flood', { count: id }, id));
    right.send(callOf(id, 'one__flood', { count: id * 2 }, id));
  }
  for (let id = 100; id < 110; id++) await Promise.all([left.answer(id), right.answer(id)]);
  for (const [client, from, factor] of [
    [left, fromLeft, 1],
    [right, fromRight, 2],
  ] as const) {
    for (let id = 100; id < 110; id++) {
      const count = id * factor;
      const about = client.received.slice(from).filter((message) => tokenOf(message) === id || message.id === id);
      expect(about).toEqual([
        ...Array.from({ length: count }, (_, index) => ({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: id, progress: index + 1, total: count },
        })),
        { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `sent ${count}` }] } },
      ]);
    }
  }
});

test('a cancellation cancels only the call of its sender, even if another client uses the same id', async () => {
  const [left, right] = await two(openGateway({ one: fixture('says-anything') }));
  await left.toolNames();
  left.send(callOf(7, 'one__say', { lines: [], answers: false }));
  right.send(callOf(7, 'one__say', { lines: [], answers: false }));
  left.notify('notifications/cancelled', { requestId: 7, reason: 'left' });
  const messages = await receivedMessages(left, 'one__');
  const replies = messages.filter(({ params }) => params?.['name'] === 'say');
  expect(messages.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params)).toEqual([
    { requestId: replies[0]?.id, reason: 'left' },
  ]);
});

test('an event that names a request reaches only the client of that request', async () => {
  const [left, right] = await two(openGateway({ one: fixture('says-anything') }));
  await left.toolNames();
  const event = { method: 'codex/event', params: { _meta: { requestId: '$id' }, msg: { type: 'task_started' } } };
  left.send(callOf(7, 'one__say', { lines: [], answers: false }));
  right.send(callOf(7, 'one__say', lines(event)));
  await right.answer(7);
  expect(right.notifications('codex/event').map(({ params }) => params)).toEqual([
    { _meta: { requestId: 7 }, msg: { type: 'task_started' } },
  ]);
  expect(left.notifications('codex/event')).toEqual([]);
});

test('a server request that names a request reaches only the client of that request, under its id', async () => {
  const [left, right] = await two(openGateway({ one: fixture('says-anything') }), {
    capabilities: { elicitation: {} },
  });
  await left.toolNames();
  const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
  const question = { id: 'q', method: 'elicitation/create', params: { ...params, _meta: { requestId: '$id', x: 1 } } };
  left.send(callOf(7, 'one__say', { lines: [], answers: false }));
  right.send(callOf(7, 'one__say', { ...lines(question), answers: false }));
  const asked = await right.waitFor(({ method }) => method === 'elicitation/create');
  expect(asked.params).toEqual({ ...params, _meta: { requestId: 7, x: 1 } });
  right.send({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept' } });
  expect((await receivedMessages(right, 'one__')).filter(({ method }) => method === undefined)).toEqual([
    { jsonrpc: '2.0', id: 'q', result: { action: 'accept' } },
  ]);
  expect(left.received.filter(({ method }) => method !== undefined)).toEqual([]);
});

test('notifications during the call of one client reach only that client', async () => {
  const [left, right] = await two(openGateway({ one: fixture('says-anything') }));
  await left.toolNames();
  await right.toolNames();
  await left.call(
    'one__say',
    lines({ method: 'vendor/said' }, { method: 'notifications/message', params: { level: 'info' } }),
  );
  expect(left.received.filter(({ method }) => method !== undefined)).toHaveLength(2);
  expect(right.received.filter(({ method }) => method !== undefined)).toEqual([]);
});

test('an unattributed message during calls of several clients reaches none of them', async () => {
  const [left, right] = await two(openGateway({ one: fixture('says-anything') }), { capabilities: { sampling: {} } });
  await left.toolNames();
  left.send(callOf(1000, 'one__say', { lines: [], answers: false }));
  await right.call(
    'one__say',
    lines(
      { method: 'vendor/said' },
      { id: 'q', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
    ),
  );
  const message =
    'sampling/createMessage: one serves 2 clients, and its request does not say which of them it is for. Repeat the call: it gets a process of its own.';
  // The first client keeps the process that asked.
  const answers = (await receivedMessages(left, 'one__')).filter(({ method }) => method === undefined);
  expect(answers).toEqual([{ jsonrpc: '2.0', id: 'q', error: { code: -32601, message } }]);
  for (const client of [left, right]) expect(client.received.filter(({ method }) => method !== undefined)).toEqual([]);
});

test('a server request goes to the only client that can answer it', async () => {
  const gateway = openGateway({ one: fixture('says-anything') });
  const left = await gateway.connect({ capabilities: { roots: {} } });
  const right = await gateway.connect();
  right.onRequest = () => ({ result: 'never' });
  left.onRequest = () => ({ result: { roots: [] } });
  left.send(callOf(1, 'one__say', { lines: [], answers: false }));
  right.send(callOf(1, 'one__say', { lines: [], answers: false }));
  left.notify('notifications/cancelled', { requestId: 1 });
  right.notify('notifications/cancelled', { requestId: 1 });
  const { result } = await left.call('one__say', lines({ id: 1, method: 'roots/list' }));
  expect(result.content[0].text).toBe('said');
  await left.waitFor(({ method }) => method === 'roots/list');
  const answers = (await receivedMessages(left, 'one__')).filter(({ method }) => method === undefined);
  expect(answers).toEqual([{ jsonrpc: '2.0', id: 1, result: { roots: [] } }]);
  expect(right.received.filter(({ method }) => method !== undefined)).toEqual([]);
});

test('each client gets logs at its own level, and the server gets the most verbose level', async () => {
  const [left, right] = await two(openGateway({ one: fixture('offers-everything') }));
  await left.toolNames();
  await left.request('logging/setLevel', { level: 'error' });
  await right.request('logging/setLevel', { level: 'info' });
  await left.call('one__log', { level: 'info', data: 1 });
  await right.call('one__log', { level: 'info', data: 2 });
  await left.call('one__log', { level: 'error', data: 3 });
  const data = (client: TestClient) =>
    client.notifications('notifications/message').map(({ params }) => params?.['data']);
  expect([data(left), data(right)]).toEqual([[3], [2]]);
  expect(await receivedParams(left, 'one__', 'logging/setLevel')).toEqual([{ level: 'error' }, { level: 'info' }]);
});

test('each client gets updates of its own subscriptions, and the server gets unsubscribe after the last one', async () => {
  const [left, right] = await two(openGateway({ one: fixture('offers-everything') }));
  await left.request('resources/list');
  const subscribe = (client: TestClient, uri: string) => client.request('resources/subscribe', { uri });
  const unsubscribe = (client: TestClient, uri: string) => client.request('resources/unsubscribe', { uri });
  const touch = (uri: string) => left.call('one__touch', { uri });
  await subscribe(left, 'test://one/listed');
  await subscribe(right, 'test://one/listed');
  await subscribe(right, 'test://shared');
  await touch('test://one/listed');
  await touch('test://shared');
  expect(await unsubscribe(left, 'test://one/listed')).toMatchObject({ result: {} });
  expect(await receivedParams(left, 'one__', 'resources/unsubscribe')).toEqual([]);
  await touch('test://one/listed');
  await unsubscribe(right, 'test://one/listed');
  expect(await receivedParams(left, 'one__', 'resources/unsubscribe')).toEqual([{ uri: 'test://one/listed' }]);
  await touch('test://one/listed');
  const updates = (client: TestClient) =>
    client.notifications('notifications/resources/updated').map(({ params }) => params?.['uri']);
  expect(updates(left)).toEqual(['test://one/listed']);
  expect(updates(right)).toEqual(['test://one/listed', 'test://shared', 'test://one/listed']);
});

test('list changes are sent to each client that has read the list', async () => {
  const [left, right] = await two(openGateway({ one: fixture('changes-its-list') }));
  await left.toolNames();
  await right.call('one__grow');
  await left.waitFor(({ method }) => method === 'notifications/tools/list_changed');
  expect(right.notifications('notifications/tools/list_changed')).toEqual([]);
});

verifies(
  'gateway:message:leave',
  'when one client disconnects, its calls are cancelled and the other continues',
  async () => {
    const [left, right] = await two(openGateway({ one: fixture('says-anything') }));
    await left.toolNames();
    left.send(callOf(7, 'one__say', { lines: [], answers: false }));
    right.send(callOf(7, 'one__say', { lines: [], answers: false }));
    left.leave();
    const messages = await receivedMessages(right, 'one__');
    const [call] = messages.filter(({ params }) => params?.['name'] === 'say');
    expect(messages.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params)).toEqual([
      { requestId: call?.id, reason: 'The client disconnected.' },
    ]);
    const { result } = await right.call('one__say', lines({ method: 'vendor/said' }));
    expect(result.content[0].text).toBe('said');
    expect(left.received.filter(({ method }) => method === 'vendor/said')).toEqual([]);
  },
);

test('each client gets errors in its own format', async () => {
  const gateway = openGateway({ one: fixture('well-behaved') });
  const codex = await gateway.connect({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
  const other = await gateway.connect();
  await other.toolNames();
  expect((await codex.call('one__none')).result).toMatchObject({ isError: true });
  expect((await other.call('one__none')).error).toMatchObject({ code: -32602 });
});

async function two(gateway: TestGateway, hello?: InitializeOptions): Promise<[TestClient, TestClient]> {
  return [await gateway.connect(hello), await gateway.connect(hello)];
}

function callOf(id: number, name: string, args: Record<string, unknown>, progressToken?: number): Message {
  const params = { name, arguments: args, ...(progressToken === undefined ? {} : { _meta: { progressToken } }) };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

function tokenOf({ params }: Message): unknown {
  return params?.['progressToken'];
}
