import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { appServer } from './apps-servers.ts';
import { gatewayHarness, type TestClient } from './harness.ts';

const { openGateway } = gatewayHarness();
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

const connectTwo = async () => {
  const opened = openGateway({ one: appServer('one'), two: appServer('two') });
  const [left, right] = await Promise.all([
    opened.connect({ capabilities: TASKS }),
    opened.connect({ capabilities: TASKS }),
  ]);
  await Promise.all([left.toolNames(), right.toolNames()]);
  return { ...opened, left, right };
};

/** Both forms: the client asks for a task, or the server decides to run one. */
const forms = [
  ['requested', (client: TestClient, tool: string) => client.call(tool, {}, { task: { ttl: 60_000 } })],
  ['decided by the server', (client: TestClient, tool: string) => client.call(tool)],
] as const;

test.each(forms)('equal ids of two servers stay apart if a task is %s (gateway:tasks:same-id)', async (_, start) => {
  const { left } = await connectTwo();
  const ids = [];
  for (const tool of ['one__work', 'two__work', 'two__work']) {
    const { result } = await start(left, tool);
    ids.push((result.task ?? result).taskId);
  }
  expect(ids).toEqual(['task-1', 'task-1@two', 'task-2']);
  const request = async (method: string, taskId: string) => (await left.request(method, { taskId })).result;
  expect(await request('tasks/get', 'task-1')).toMatchObject({ taskId: 'task-1', by: 'one' });
  expect(await request('tasks/get', 'task-1@two')).toMatchObject({ taskId: 'task-1@two', by: 'two' });
  expect(await request('tasks/cancel', 'task-1@two')).toMatchObject({
    taskId: 'task-1@two',
    status: 'cancelled',
    by: 'two',
  });
  expect(await request('tasks/update', 'task-1')).toMatchObject({ by: 'one' });
  expect(await request('tasks/result', 'task-1@two')).toEqual({
    content: [{ type: 'resource_link', uri: 'ui://two/app/view.html', name: 'two' }],
    _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'task-1@two' } },
  });
});

verifies(
  ['gateway:tasks:same-id', 'gateway:tasks:own'],
  'a client reaches only its own tasks, whichever server runs them',
  async () => {
    const { left, right, gateway, connect } = await connectTwo();
    expect((await left.call('one__work')).result.taskId).toBe('task-1');
    expect((await right.call('two__work')).result.taskId).toBe('task-1');
    expect((await right.call('one__work')).result.taskId).toBe('task-2');
    const by = async (client: TestClient, taskId: string) => (await client.request('tasks/get', { taskId })).result?.by;
    expect([await by(left, 'task-1'), await by(right, 'task-1'), await by(right, 'task-2')]).toEqual([
      'one',
      'two',
      'one',
    ]);
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update', 'tasks/result']) {
      const { error } = await left.request(method, { taskId: 'task-2' });
      expect(error).toEqual({ code: -32602, message: 'Task not found: task-2', data: { taskId: 'task-2' } });
    }
    expect((await left.request('tasks/list')).error?.code).toBe(-32601);
    const single = await connect({ capabilities: TASKS }, gateway.openView({ server: 'one' }));
    expect((await single.request('tasks/get', { taskId: 'task-1' })).error?.message).toBe('Task not found: task-1');
    expect((await single.call('work')).result.taskId).toBe('task-3');
    expect((await single.request('tasks/list')).result.tasks).toMatchObject([{ taskId: 'task-3' }]);
  },
);

verifies(
  'gateway:tasks:notifications',
  'what a server says about a task reaches the client that started it',
  async () => {
    const { left, right } = await connectTwo();
    await left.call('one__work');
    await left.call('two__work');
    await right.call('two__work');
    // Both clients are calling, so nothing but the task tells whom this is for.
    for (const method of ['notifications/tasks', 'notifications/tasks/status'])
      await Promise.all([
        right.call('two__tell', { method, taskId: 'task-1', status: 'completed' }),
        left.call('two__refresh'),
      ]);
    const seen = (client: TestClient) =>
      client.received.filter(({ method }) => method?.startsWith('notifications/tasks')).map(({ params }) => params);
    expect(seen(left)).toEqual(Array(2).fill({ taskId: 'task-1@two', status: 'completed' }));
    expect(seen(right)).toEqual([]);
  },
);

test('equal ids of two processes of one server stay apart', async () => {
  const { connect } = openGateway({ one: { ...appServer('one'), share: 'client' } });
  const clients = await Promise.all([connect({ capabilities: TASKS }), connect({ capabilities: TASKS })]);
  for (const client of clients) {
    await client.toolNames();
    expect((await client.call('one__work')).result.taskId).toBe('task-1');
  }
  for (const [index, client] of clients.entries()) {
    const params = { taskId: 'task-1', from: `client ${index}` };
    expect((await client.request('tasks/get', params)).result).toMatchObject({ taskId: 'task-1' });
    await client.call('one__tell', { method: 'notifications/tasks', taskId: 'task-1', status: `of client ${index}` });
  }
  for (const [index, client] of clients.entries()) {
    const heard = JSON.stringify((await client.call('one__heard')).result);
    expect(heard).toContain(`client ${index}`);
    expect(heard).not.toContain(`client ${1 - index}`);
    const told = client.received.filter(({ method }) => method === 'notifications/tasks').map(({ params }) => params);
    expect(told).toEqual([{ taskId: 'task-1', status: `of client ${index}` }]);
  }
});

test('a question about a task goes to the client that started it', async () => {
  const { connect } = openGateway({ one: appServer('one'), two: appServer('two') });
  const capabilities = { ...TASKS, elicitation: {} };
  const [left, right] = await Promise.all([connect({ capabilities }), connect({ capabilities })]);
  await left.toolNames();
  await left.call('one__work');
  await left.call('two__work');
  left.onRequest = ({ params }) => ({ result: { action: 'accept', content: params } });
  const { result } = await right.call('two__ask', { taskId: 'task-1' });
  const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 'task-1@two' } };
  expect(JSON.parse(result.content[0].text).result).toEqual({
    action: 'accept',
    content: { message: 'two', _meta },
  });
});

test('a task that nobody has recorded is found on the only server with tasks, by the only client', async () => {
  const { connect, gateway } = openGateway({ one: appServer('one') });
  const client = await connect();
  await client.toolNames();
  const get = () => client.request('tasks/get', { taskId: 'earlier' });
  expect((await get()).result).toMatchObject({ by: 'one' });
  const single = await connect({}, gateway.openView({ server: 'one' }));
  expect((await get()).error?.message).toBe('Task not found: earlier');
  expect((await single.request('tasks/get', { taskId: 'earlier' })).error?.message).toBe('Task not found: earlier');
  client.leave();
  expect((await single.request('tasks/get', { taskId: 'earlier' })).result).toMatchObject({ by: 'one' });
});
