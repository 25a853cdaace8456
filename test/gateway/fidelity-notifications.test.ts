import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type Message } from './harness.ts';
import { lines, receivedLines, receivedMessages } from './scripted-lines.ts';

const { openGateway } = gatewayHarness();

verifies(
  'gateway:aggregate:transparent',
  'notifications from a server reach the client unchanged and in order',
  async () => {
    const { connect } = openGateway({ one: fixture('says-anything') });
    const client = await connect();
    await client.toolNames();
    const from = client.lines.length;
    const messages = [
      '{"jsonrpc":"2.0","method":"notifications/vendor","params":{"big":9007199254740993,"twice":1,"twice":2, "f" : 1.0}}',
      '{"method":"vendor/event","jsonrpc":"2.0","params":[1e400,"\\u0041\\/\\ud800"]}',
      '{"jsonrpc":"2.0","method":"vendor/bare"}',
      '{"jsonrpc":"2.0","method":"vendor/null-id","id":null,"params":{"__proto__":{"x":1}}}',
    ];
    await client.call('one__say', { lines: messages });
    expect(client.lines.slice(from, -1)).toEqual(messages);
  },
);

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])(
  'a notification named %j is forwarded like any other',
  async (method) => {
    const { connect } = openGateway({ one: fixture('says-anything') });
    const client = await connect();
    await client.call('one__say', lines({ method, params: { a: 1 } }));
    const reply = await client.waitFor((message) => message.method === method);
    expect(reply).toEqual({ jsonrpc: '2.0', method, params: { a: 1 } });
    client.send({ jsonrpc: '2.0', id: 'same', method, params: {} });
    expect((await client.answer('same')).error?.code).toBe(-32601);
  },
);

verifies(
  'gateway:aggregate:transparent',
  'an unknown notification from the client reaches every ready server unchanged',
  async () => {
    const { connect } = openGateway({
      one: fixture('says-anything'),
      hung: fixture('hangs-at-initialize'),
      two: fixture('says-anything'),
    });
    const client = await connect();
    await client.call('one__heard');
    await client.call('two__heard');
    const messages = [
      '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
      '{"params":{"n":9007199254740993,"a":1,"a":2},"method":"vendor/told","jsonrpc":"2.0"}',
    ];
    for (const line of messages) client.sendLine(line);
    for (const server of ['one__', 'two__']) expect((await receivedLines(client, server)).slice(-2)).toEqual(messages);
  },
);

test('a server that answers a client notification with an error without an id loses no call', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  const pending = client.call('one__say', { lines: [], answers: false });
  client.notify('notifications/roots/list_changed');
  const refusal = { id: null, error: { code: -32601, message: 'Method not found' } };
  expect((await client.call('one__say', lines(refusal))).error).toBeUndefined();
  const [first] = (await receivedMessages(client, 'one__')).filter(({ method }) => method === 'tools/call');
  await client.call('one__say', lines({ id: first?.id, result: { content: [] } }));
  expect((await pending).result).toEqual({ content: [] });
});

test('messages that the gateway handles itself do not reach a server', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.call('one__heard');
  expect(await client.request('ping')).toEqual({ jsonrpc: '2.0', id: expect.any(Number), result: {} });
  client.notify('notifications/initialized');
  client.notify('notifications/progress', { progressToken: 1, progress: 1 });
  client.send({ jsonrpc: '2.0', id: 1, result: { nobody: 'asked' } });
  const methods = (await receivedMessages(client, 'one__')).map(({ method }) => method);
  expect(methods).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call']);
});

test('an event that names its request carries the id of the client', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  const event = (requestId: unknown): Record<string, unknown> => ({
    method: 'codex/event',
    params: { _meta: { requestId, threadId: 't' }, id: '0', msg: { type: 'task_started' } },
  });
  client.sendLine(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 'mine "1"',
      method: 'tools/call',
      params: { name: 'one__say', arguments: lines(event('$id'), event('none of ours'), event(-1)) },
    }),
  );
  await client.answer('mine "1"');
  const reported = client.notifications('codex/event').map(({ params }) => params);
  expect(reported).toEqual([event('mine "1"'), event('none of ours'), event(-1)].map(({ params }) => params));
});

test('both directions keep their order', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  const from = client.received.length;
  for (let n = 0; n < 200; n++) {
    client.send({
      jsonrpc: '2.0',
      id: `call ${n}`,
      method: 'tools/call',
      params: { name: 'one__say', arguments: lines({ method: 'vendor/said', params: { n } }) },
    });
    client.notify('vendor/told', { n });
    if (n % 10 === 0)
      client.send({ jsonrpc: '2.0', id: `get ${n}`, method: 'vendor/inspect', params: { name: 'one__say' } });
  }
  const messages = (await receivedMessages(client, 'one__')).slice(3);
  const expected = Array.from({ length: 200 }, (_, n) => [
    'tools/call',
    'vendor/told',
    ...(n % 10 === 0 ? ['vendor/inspect'] : []),
  ]).flat();
  expect(messages.map(({ method }) => method)).toEqual(expected);
  expect(messages.filter(({ method }) => method === 'vendor/told').map(({ params }) => params?.['n'])).toEqual([
    ...Array(200).keys(),
  ]);
  const reported = client.received.slice(from).filter(({ method }) => method === 'vendor/said');
  expect(reported.map(({ params }) => params?.['n'])).toEqual([...Array(200).keys()]);
});

test('responses of a server in one batch are separated', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  const answers = '[{"jsonrpc":"2.0","method":"vendor/first"},{"jsonrpc":"2.0","id":"$id","result":{"n":1.0}},7]';
  client.send({
    jsonrpc: '2.0',
    id: 'c',
    method: 'tools/call',
    params: { name: 'one__say', arguments: { lines: [answers], answers: false } },
  });
  await client.answer('c');
  expect(client.lines.slice(-2)).toEqual([
    '{"jsonrpc":"2.0","method":"vendor/first"}',
    '{"jsonrpc":"2.0","id":"c","result":{"n":1.0}}',
  ]);
});

verifies(
  'compat:tolerant:notifications',
  'known and unknown notifications between a call and its result do not affect it',
  async () => {
    const { connect } = openGateway({ one: fixture('says-anything') });
    const client = await connect();
    const noise: Message[] = [
      { method: 'notifications/tools/list_changed' },
      { method: 'notifications/message', params: { level: 'info', data: 'x' } },
      { method: 'notifications/resources/updated', params: { uri: 'x:y' } },
      { method: 'notifications/tasks/status', params: { taskId: 'x' } },
      { method: 'notifications/cancelled', params: {} },
      { method: 'notifications/progress' },
      { method: 'notifications/message' },
      { method: 'vendor/unknown', params: { n: 1 } },
    ];
    expect((await client.call('one__say', lines(...noise))).result).toEqual({
      content: [{ type: 'text', text: 'said' }],
    });
  },
);
