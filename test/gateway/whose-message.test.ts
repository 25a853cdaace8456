import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type InitializeOptions, type Message, type TestClient, type TestGateway } from './harness.ts';
import { lines, receivedMessages, receivedParams } from './scripted-lines.ts';
import { statusOf } from './server-status.ts';

const { openGateway, openSingle } = gatewayHarness();

const LOG = { method: 'notifications/message', params: { level: 'info', data: 'mine' } };

describe('a log message that may be for either of two clients', () => {
  verifies('gateway:message:dropped', 'reaches neither, and is counted in the status', async () => {
    const gateway = openGateway({ one: fixture('says-anything') });
    const [left, right] = await two(gateway);
    await left.toolNames();
    left.send(callOf(7, 'one__say', { lines: [], answers: false }));
    await right.call('one__say', lines(LOG, LOG));
    expect([logs(left), logs(right)]).toEqual([[], []]);
    expect(statusOf(gateway.gateway, 'one').droppedMessages).toBe(2);
    const { result } = await left.request('resources/read', { uri: 'switchboard://status' });
    expect(JSON.parse(result.contents[0].text).servers).toMatchObject([{ id: 'one', droppedMessages: 2 }]);
  });

  test('reaches neither if no call is pending', async () => {
    const gateway = openGateway({ one: fixture('speaks-after-answer') });
    const [left, right] = await two(gateway);
    await left.call('one__later', { line: JSON.stringify({ jsonrpc: '2.0', ...LOG }) });
    await expect.poll(() => statusOf(gateway.gateway, 'one').droppedMessages, { timeout: 30_000 }).toBe(1);
    expect([logs(left), logs(right)]).toEqual([[], []]);
  });

  test('reaches neither if the other has just cancelled a call', async () => {
    const gateway = openGateway({ one: fixture('says-anything') });
    const [left, right] = await two(gateway);
    await left.toolNames();
    left.send(callOf(7, 'one__say', { lines: [], answers: false }));
    await left.call('one__say', lines());
    left.notify('notifications/cancelled', { requestId: 7 });
    await right.call('one__say', lines(LOG));
    expect([logs(left), logs(right)]).toEqual([[], []]);
  });

  test('reaches its client if the other uses a process of its own', async () => {
    const gateway = openGateway({ one: { ...fixture('says-anything'), share: 'client' } });
    const [left, right] = await two(gateway);
    left.send(callOf(7, 'one__say', { lines: [], answers: false }));
    await right.call('one__say', lines(LOG));
    expect([logs(left), logs(right)]).toEqual([[], ['mine']]);
    expect(statusOf(gateway.gateway, 'one').droppedMessages).toBeUndefined();
  });
});

describe('roots/list outside a call', () => {
  const ROOTS = { jsonrpc: '2.0', id: 'r', method: 'roots/list' };

  verifies(
    'gateway:message:roots',
    'is answered with the folder of the gateway if there are several clients',
    async () => {
      const gateway = openGateway({ one: fixture('speaks-after-answer') });
      const [left] = await two(gateway, { capabilities: { roots: {} } });
      await left.call('one__later', { line: JSON.stringify(ROOTS) });
      const uri = pathToFileURL(process.cwd()).href;
      await expect
        .poll(() => responses(left), { timeout: 30_000 })
        .toEqual([{ jsonrpc: '2.0', id: 'r', result: { roots: [{ uri, name: expect.any(String) }] } }]);
      expect(left.received.filter(({ method }) => method === 'roots/list')).toEqual([]);
    },
  );

  test('is refused if the server was not told of roots', async () => {
    const [left] = await two(openGateway({ one: fixture('speaks-after-answer') }));
    await left.call('one__later', { line: JSON.stringify(ROOTS) });
    const message = 'roots/list: one serves 2 clients, and its request does not say which of them it is for.';
    await expect
      .poll(() => responses(left), { timeout: 30_000 })
      .toEqual([{ jsonrpc: '2.0', id: 'r', error: { code: -32601, message } }]);
  });

  test('reaches the only client', async () => {
    const client = await openGateway({ one: fixture('speaks-after-answer') }).connect({ capabilities: { roots: {} } });
    client.onRequest = () => ({ result: { roots: [{ uri: 'file:///mine' }] } });
    await client.call('one__later', { line: JSON.stringify(ROOTS) });
    await expect
      .poll(() => responses(client), { timeout: 30_000 })
      .toEqual([{ jsonrpc: '2.0', id: 'r', result: { roots: [{ uri: 'file:///mine' }] } }]);
  });
});

describe('a message that names what it is about', () => {
  verifies('gateway:message:task', 'reaches the client of its task', async () => {
    const [left, right] = await two(openGateway({ one: fixture('says-anything') }));
    await left.toolNames();
    const task = (client: TestClient, taskId: string) =>
      client.call('one__say', lines(`{"jsonrpc":"2.0","id":"$id","result":{"task":{"taskId":"${taskId}"}}}`), {
        task: {},
      });
    await task(left, 'l');
    await task(right, 'r');
    const status = (taskId: string) => ({
      method: 'notifications/tasks/status',
      params: { taskId, status: 'working' },
    });
    const related = {
      method: 'notifications/message',
      params: { level: 'info', data: 'r', _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'r' } } },
    };
    // Both have a call pending, so nothing else tells whose the messages are.
    left.send(callOf(70, 'one__say', { lines: [], answers: false }));
    await right.call('one__say', lines(status('l'), status('r'), related));
    const ids = (client: TestClient) =>
      client.notifications('notifications/tasks/status').map(({ params }) => params?.['taskId']);
    expect([ids(left), ids(right)]).toEqual([['l'], ['r']]);
    expect([logs(left), logs(right)]).toEqual([[], ['r']]);
  });

  test('reaches the client that was asked by elicitation', async () => {
    const [left, right] = await two(openGateway({ one: fixture('says-anything') }), {
      capabilities: { elicitation: { form: {}, url: {} } },
    });
    await left.toolNames();
    const data = { elicitations: [{ mode: 'url', elicitationId: 'e', url: 'https://example.com', message: 'x' }] };
    const refusal = { id: '$id', error: { code: -32042, message: 'visit first', data } };
    expect((await left.call('one__say', lines(refusal))).error?.code).toBe(-32042);
    left.send(callOf(70, 'one__say', { lines: [], answers: false }));
    await right.call(
      'one__say',
      lines({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } }),
    );
    const completed = (client: TestClient) => client.notifications('notifications/elicitation/complete').length;
    await expect.poll(() => [completed(left), completed(right)]).toEqual([1, 0]);
  });
});

describe('a client that leaves', () => {
  verifies('gateway:message:leave', 'has its subscriptions dropped, but not those of others', async () => {
    const [left, right] = await two(openGateway({ one: fixture('offers-everything') }));
    await left.request('resources/list');
    const subscribe = (client: TestClient, uri: string) => client.request('resources/subscribe', { uri });
    await subscribe(left, 'test://one/listed');
    await subscribe(left, 'test://shared');
    await subscribe(right, 'test://shared');
    left.leave();
    await expect
      .poll(() => receivedParams(right, 'one__', 'resources/unsubscribe'), { timeout: 30_000 })
      .toEqual([{ uri: 'test://one/listed' }]);
    await right.call('one__touch', { uri: 'test://shared' });
    expect(right.notifications('notifications/resources/updated').map(({ params }) => params)).toEqual([
      { uri: 'test://shared' },
    ]);
    expect(left.notifications('notifications/resources/updated')).toEqual([]);
  });

  test('before it is ready leaves no request of a server without a response', async () => {
    const question = { jsonrpc: '2.0', id: 'q', method: 'roots/list' };
    const { open, connect } = openGateway({
      one: fixture('says-anything', JSON.stringify([JSON.stringify(question)])),
    });
    const hasty = open();
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {} },
      clientInfo: { name: 'x', version: '1' },
    };
    await hasty.request('initialize', hello);
    await hasty.toolNames();
    hasty.leave();
    const other = await connect({ capabilities: { roots: {} } });
    await expect
      .poll(async () => (await receivedMessages(other, 'one__')).filter(({ id }) => id === 'q'), { timeout: 30_000 })
      .toMatchObject([{ id: 'q', error: {} }]);
  });
});

test('eight clients with equal ids and tokens each get exactly their own messages', async () => {
  const gateway = openGateway({
    one: fixture('floods-progress'),
    two: { ...fixture('floods-progress'), share: 'client' },
  });
  const clients = await Promise.all(Array.from({ length: 8 }, () => gateway.connect()));
  await Promise.all(clients.map((client) => client.toolNames()));
  const ids = Array.from({ length: 10 }, (_, index) => 100 + index);
  for (const id of ids)
    for (const [number, client] of clients.entries())
      client.send(callOf(id, id % 2 === 0 ? 'one__flood' : 'two__flood', { count: number + 1 }, id));
  for (const [number, client] of clients.entries()) {
    for (const id of ids) {
      const { result } = await client.answer(id);
      expect(result.content[0].text).toBe(`sent ${number + 1}`);
      const progress = client.received.filter(({ params }) => params?.['progressToken'] === id);
      expect(progress.map(({ params }) => params?.['total'])).toEqual(Array(number + 1).fill(number + 1));
    }
  }
});

test('two clients of a single server both hear of a changed list and of their own subscriptions', async () => {
  const { connect } = openSingle(fixture('says-anything'));
  const [left, right] = [await connect(), await connect()];
  const changed = { method: 'notifications/tools/list_changed' };
  await left.call('say', lines(changed));
  const hears = (client: TestClient) => client.notifications(changed.method).length;
  expect([hears(left), hears(right)]).toEqual([1, 1]);
});

async function two(gateway: TestGateway, hello?: InitializeOptions): Promise<[TestClient, TestClient]> {
  return [await gateway.connect(hello), await gateway.connect(hello)];
}

function callOf(id: number, name: string, args: Record<string, unknown>, progressToken?: number): Message {
  const params = { name, arguments: args, ...(progressToken === undefined ? {} : { _meta: { progressToken } }) };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

function logs(client: TestClient): unknown[] {
  return client.notifications('notifications/message').map(({ params }) => params?.['data']);
}

/** The responses to requests of the server. */
async function responses(client: TestClient): Promise<Message[]> {
  return (await receivedMessages(client, 'one__')).filter(({ method }) => method === undefined);
}
