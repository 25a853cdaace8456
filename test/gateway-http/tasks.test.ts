import { expect, test } from 'vitest';
import type { Access, Principal } from '../../src/serve/fronts/http/principal.ts';
import { openHttpFixture } from '../fixtures/http/paths.ts';
import { appServer } from '../gateway/apps-servers.ts';
import { at } from '../http/harness.ts';
import { verifies } from '../verifies.ts';
import { gatewayHttpHarness } from './harness.ts';
import { RawClient } from './raw-client.ts';

const { openGateway, processes } = gatewayHttpHarness();
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Everybody is who they say they are. */
const access: Access = {
  authenticate: (name = 'nobody') =>
    ({ tokenId: name, name, role: 'use', view: undefined, mayNameFolders: false }) satisfies Principal,
  onRevoked: () => () => undefined,
};

async function openBoth() {
  const modern = await openHttpFixture('modern', { options: ['--tasks', 'yes'], env: processes.env() });
  const { url } = await openGateway({ one: appServer('one'), far: at(modern.url) }, { access });
  const connect = async (name: string, era: 'legacy' | 'modern' = 'modern') => {
    const client = new RawClient(url, era);
    client.headers = { authorization: name };
    client.capabilities = TASKS;
    if (era === 'legacy') await client.initialize(TASKS);
    await client.request('tools/list');
    return client;
  };
  return { modern, connect, [Symbol.asyncDispose]: () => modern.close() };
}

verifies(
  ['gateway:tasks:same-id', 'gateway:tasks:own'],
  'tasks of a legacy and a modern server stay apart, and belong to the token that started them',
  async () => {
    await using opened = await openBoth();
    const anna = await opened.connect('anna');
    expect((await anna.call('one__work')).result).toMatchObject({ resultType: 'task', taskId: 'task-1' });
    expect((await anna.call('far__background')).result).toMatchObject({ resultType: 'task', taskId: 'task-1@far' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId: 'task-1@far', inputResponses: {} };
      expect((await anna.request(method, params)).result).toMatchObject({
        ...{ resultType: 'complete', taskId: 'task-1@far', by: 'modern', heard: method },
      });
    }
    expect((await anna.request('tasks/get', { taskId: 'task-1' })).result).toMatchObject({ by: 'one' });
    const berta = await opened.connect('berta');
    expect((await berta.request('tasks/get', { taskId: 'task-1' })).error?.message).toBe('Task not found: task-1');
    // The same program may describe itself differently when it returns.
    const again = await opened.connect('anna');
    again.capabilities = { ...TASKS, elicitation: {} };
    expect((await again.request('tasks/get', { taskId: 'task-1' })).result).toMatchObject({ by: 'one' });
  },
);

test('equal ids of two processes of one server stay apart, also for one token', async () => {
  await using opened = await openBoth();
  const first = await opened.connect('anna');
  const second = await opened.connect('anna');
  second.capabilities = { ...TASKS, elicitation: {} };
  expect((await first.call('one__work')).result.taskId).toBe('task-1');
  expect((await second.call('one__work')).result.taskId).toBe('task-1@one');
  for (const taskId of ['task-1', 'task-1@one'])
    for (const client of [first, second])
      expect((await client.request('tasks/get', { taskId })).result).toMatchObject({ taskId, by: 'one' });
  const heard = async (client: RawClient) => JSON.stringify((await client.call('one__heard')).result);
  const count = (text: string) => text.split('tasks/get').length - 1;
  expect([count(await heard(first)), count(await heard(second))]).toEqual([2, 2]);
});

verifies(
  'gateway:tasks:notifications',
  'a modern client that listens for its task is told that a modern server has completed it',
  async () => {
    await using opened = await openBoth();
    const [anna, berta] = [await opened.connect('anna'), await opened.connect('berta')];
    await anna.call('one__work');
    const { taskId } = (await anna.call('far__background')).result;
    const end = new AbortController();
    const streams = [anna, berta].map((client) => {
      const messages: { method?: string; params?: Record<string, unknown> }[] = [];
      client.onMessage = (message) => messages.push(message);
      const params = { notifications: { taskIds: [taskId] } };
      const ended = client.exchange('subscriptions/listen', params, { signal: end.signal }).catch(() => undefined);
      return { messages, ended };
    });
    const methods = () => streams.map(({ messages }) => messages.map(({ method }) => method));
    const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
    await expect.poll(methods, { timeout: 10_000 }).toEqual([[ACKNOWLEDGED], [ACKNOWLEDGED]]);
    await expect.poll(() => opened.modern.control('/_finish'), { timeout: 10_000 }).toBe(1);
    await expect.poll(methods, { timeout: 10_000 }).toEqual([[ACKNOWLEDGED, 'notifications/tasks'], [ACKNOWLEDGED]]);
    expect(streams[0]?.messages[1]?.params).toMatchObject({ taskId, status: 'completed', result: { content: [] } });
    end.abort();
    await Promise.all(streams.map(({ ended }) => ended));
  },
);

test('a client that has not declared tasks cannot listen for them', async () => {
  await using opened = await openBoth();
  const client = await opened.connect('anna');
  client.capabilities = {};
  const { error } = await client.request('subscriptions/listen', { notifications: { taskIds: ['task-1'] } });
  expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: TASKS } });
});

test('a legacy session reaches only its own tasks, even of the same token', async () => {
  await using opened = await openBoth();
  const [left, right] = [await opened.connect('anna', 'legacy'), await opened.connect('anna', 'legacy')];
  expect((await left.call('far__background')).result.taskId).toBe('task-1');
  expect((await left.request('tasks/get', { taskId: 'task-1' })).result).toMatchObject({ by: 'modern' });
  expect((await right.request('tasks/get', { taskId: 'task-1' })).error?.code).toBe(-32602);
});
