import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness } from './harness.ts';

const { openGateway, openSingle } = gatewayHarness();

test('an unknown request goes to the server of the tool, prompt, resource or task that it names', async () => {
  const { connect } = openGateway({
    one: fixture('offers-everything', 'one'),
    two: fixture('offers-everything', 'two'),
  });
  const client = await connect();
  await client.toolNames();
  await client.request('prompts/list');
  await client.request('resources/list');
  const inspect = async (params: Record<string, unknown>) => (await client.request('vendor/inspect', params)).result;
  expect(await inspect({ name: 'two__work', x: [1.5] })).toEqual({ by: 'two', params: { name: 'work', x: [1.5] } });
  expect(await inspect({ name: 'one__greet' })).toEqual({ by: 'one', params: { name: 'greet' } });
  expect(await inspect({ uri: 'test://two/listed' })).toEqual({ by: 'two', params: { uri: 'test://two/listed' } });
  expect(await inspect({ uri: 'switchboard://two/test%3A%2F%2Fshared' })).toEqual({
    by: 'two',
    params: { uri: 'test://shared' },
  });
  const { result } = await client.call('two__work', {}, { task: { ttl: 1000 } });
  expect(result).toEqual({ task: { taskId: 'two-task', status: 'working' } });
  expect(await inspect({ taskId: 'two-task' })).toEqual({ by: 'two', params: { taskId: 'two-task' } });
  expect((await client.request('tasks/get', { taskId: 'two-task' })).result).toEqual({
    taskId: 'two-task',
    status: 'completed',
    by: 'two',
  });
});

test.each([
  ['vendor/inspect', {}],
  ['vendor/inspect', { name: 'nobody' }],
  ['vendor/inspect', { uri: 'nobody:has' }],
  ['tasks/get', { taskId: 'nobody-knows' }],
  ['tasks/list', {}],
  ['server/discover', {}],
  ['toString', {}],
])('%s %j, which matches no server, is not found', async (method, params) => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect();
  await client.toolNames();
  expect(await client.request(method, params)).toEqual({
    jsonrpc: '2.0',
    id: expect.any(Number),
    error: { code: -32601, message: `Method not found: ${method}` },
  });
});

test('a task announced in a notification is found too', async () => {
  const { connect } = openGateway({ one: fixture('says-anything'), two: fixture('offers-everything', 'two') });
  const client = await connect();
  await client.toolNames();
  await client.call('one__say', {
    lines: ['{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"working"}}'],
  });
  expect(client.notifications('notifications/tasks/status')).toHaveLength(1);
  // It reaches the server, which does not know the method.
  expect((await client.request('tasks/get', { taskId: 't' })).error).toMatchObject({
    code: -32601,
    data: { serverName: 'one' },
  });
});

test('completion goes to the server of the prompt or template, with the original name', async () => {
  const { connect } = openGateway({
    one: fixture('offers-everything', 'one'),
    two: fixture('offers-everything', 'two'),
  });
  const client = await connect();
  const complete = async (ref: Record<string, unknown>) => {
    const argument = { name: 'who', value: 'A' };
    return client.request('completion/complete', { ref, argument, context: { arguments: { x: '1' } } });
  };
  const values = async (ref: Record<string, unknown>) => (await complete(ref)).result.completion.values;
  expect(await values({ type: 'ref/prompt', name: 'two__greet', title: 'kept' })).toEqual([
    '{"type":"ref/prompt","name":"greet","title":"kept"}',
  ]);
  expect(await values({ type: 'ref/resource', uri: 'test://two/items/{id}' })).toEqual([
    '{"type":"ref/resource","uri":"test://two/items/{id}"}',
  ]);
  expect((await complete({ type: 'ref/prompt', name: 'greet' })).error).toEqual({
    code: -32602,
    message: 'params.ref does not name a known prompt or resource.',
  });
});

test('prompt requests keep everything that the client wrote', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect();
  const params = { name: 'one__greet', arguments: { who: 'A', name: 'x' }, _meta: { a: 1 }, vendor: [null] };
  const { result } = await client.request('prompts/get', params);
  expect(JSON.parse(result.messages[0].content.text)).toEqual({ ...params, name: 'greet' });
});

test('with a single command, every request is forwarded, and the server itself rejects it', async () => {
  const client = await openSingle(fixture('offers-everything')).connect();
  expect((await client.request('vendor/inspect', { any: 'thing' })).result).toEqual({
    by: 'one',
    params: { any: 'thing' },
  });
  expect((await client.request('vendor/nope', {})).error).toMatchObject({
    code: -32601,
    message: 'Method not found',
    data: { original: { code: -32601, message: 'Method not found' } },
  });
});
