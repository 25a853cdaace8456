import { expect, test } from 'vitest';
import { openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type TestServer } from './harness.ts';
import { answered, serverFromFile, testFolders, tool } from './tools-from-file.ts';

const newFolder = testFolders();
const { openGateway, processes } = gatewayHarness();
const CHANGED = 'notifications/tools/list_changed';

function server(version: string): TestServer {
  const own = serverFromFile(newFolder());
  own.offer({ tools: [tool('work')], version });
  return { ...own, env: { VERSION: version } };
}

test('a new server starts, a removed one stops, and an unchanged one is not touched', async () => {
  const stays = server('stays');
  const { connect, apply } = openGateway({ stays, goes: fixture('well-behaved') });
  const client = await connect();
  await client.toolNames();
  const before = answered(await client.call('stays__work'));
  expect(apply({ comes: server('comes'), stays })).toEqual({
    started: ['comes'],
    replaced: [],
    adjusted: [],
    stopped: ['goes'],
  });
  await client.waitFor(({ method }) => method === CHANGED);
  await expect.poll(() => client.toolNames()).toEqual(['comes__work', 'stays__work']);
  expect(answered(await client.call('stays__work'))).toMatchObject({ pid: before.pid });
  expect((await client.call('goes__echo', { text: 'hi' })).error?.message).toContain('Unknown tool: goes__echo');
});

test('a changed server is replaced: the old one finishes its calls, the new one gets every new call', async () => {
  const { connect, apply } = openGateway({ one: server('old') });
  const client = await connect();
  await client.toolNames();
  const old = answered(await client.call('one__work'));
  const long = client.call('one__work', { ms: 600 });
  expect(apply({ one: server('new') })).toEqual({ started: [], replaced: ['one'], adjusted: [], stopped: [] });
  expect(answered(await client.call('one__work'))).toMatchObject({ version: 'new' });
  expect(answered(await long)).toMatchObject({ version: 'old', pid: old.pid });
  await expect.poll(() => processes.alive().some(({ pid }) => pid === old.pid)).toBe(false);
});

test('the tools of a changed server stay listed while the new one starts', async () => {
  const { connect, apply } = openGateway({ one: server('old') });
  const client = await connect();
  await client.toolNames();
  const slow = serverFromFile(newFolder());
  slow.offer({ tools: [tool('work'), tool('more')], startMs: 400 });
  apply({ one: slow });
  expect(await client.toolNames()).toEqual(['one__work']);
  await client.waitFor(({ method }) => method === CHANGED);
  expect(await client.toolNames()).toEqual(['one__work', 'one__more']);
});

test('the tools stay listed while the server is replaced repeatedly', async () => {
  const { connect, apply } = openGateway({ one: server('old') });
  const client = await connect();
  await client.toolNames();
  for (let turn = 0; turn < 3; turn++) {
    const slow = serverFromFile(newFolder());
    slow.offer({ tools: [tool('work')], startMs: 5_000 });
    apply({ one: slow });
    expect(await client.toolNames()).toEqual(['one__work']);
  }
});

test('a server that holds a lock is stopped before its successor starts', async () => {
  const { connect, apply } = openGateway({ one: server('old') });
  const client = await connect();
  await client.toolNames();
  const old = answered(await client.call('one__work'));
  // Longer than any delay of the check that follows.
  const long = client.call('one__work', { ms: 5_000 });
  apply({ one: { ...server('new'), restart: 'stop-first' } });
  const next = client.call('one__work');
  await new Promise((resolve) => setTimeout(resolve, 150));
  const servers = processes.alive().filter(({ command }) => command.includes('tools-from-file'));
  expect(servers.map(({ pid }) => pid)).toEqual([old.pid]);
  expect(answered(await long)).toMatchObject({ version: 'old' });
  expect(answered(await next)).toMatchObject({ version: 'new' });
});

test('calls that wait for a replaced server go to the new one', async () => {
  const never = serverFromFile(newFolder());
  never.offer({ tools: [], mute: true });
  const { connect, apply } = openGateway({ one: never }, { settings: { listTimeoutMs: 100 } });
  const client = await connect();
  await client.toolNames();
  const waiting = client.call('one__work', { text: 'kept' });
  apply({ one: server('new') });
  expect(answered(await waiting)).toMatchObject({ version: 'new', arguments: { text: 'kept' } });
});

test('settings that do not affect the process change without a restart', async () => {
  const one = server('one');
  const { connect, apply } = openGateway({ one });
  const client = await connect();
  await client.toolNames();
  const { pid } = answered(await client.call('one__work'));
  const adjusted = { started: [], replaced: [], adjusted: ['one'], stopped: [] };
  expect(apply({ one: { ...one, tools: { allow: [], deny: [] } } })).toEqual(adjusted);
  expect(await client.toolNames()).toEqual([]);
  expect(apply({ one: { ...one, requestTimeoutMs: 150 } })).toEqual(adjusted);
  expect((await client.call('one__work', { ms: 60_000 })).error?.message).toContain('did not answer tools/call within');
  // Without that limit, which a call may reach on a busy machine.
  expect(apply({ one })).toEqual(adjusted);
  expect(answered(await client.call('one__work'))).toMatchObject({ pid });
});

test('a subscription moves to the successor of the server', async () => {
  const one = fixture('offers-everything');
  const { connect, apply } = openGateway({ one });
  const client = await connect();
  const { result } = await client.request('resources/list');
  const uri = result.resources[0].uri;
  await client.request('resources/subscribe', { uri });
  apply({ one: { ...one, env: { CHANGED: '1' } } });
  await expect.poll(async () => JSON.stringify(await client.call('one__heard'))).toContain('resources/subscribe');
});

test('requests for a task go to the instance that runs it while it has pending calls, then to its successor', async () => {
  const one = fixture('offers-everything', 'old');
  const { connect, apply, gateway } = openGateway({ one });
  const client = await connect();
  await client.toolNames();
  await client.call('one__work', {}, { task: { ttl: 60_000 } });
  const [old] = gateway.upstreams();
  const get = async () => (await client.request('tasks/get', { taskId: 'old-task' })).result?.by;
  const taskResult = client.request('tasks/result', { taskId: 'old-task', ms: 500 });
  apply({ one: fixture('offers-everything', 'new') });
  expect(await get()).toBe('old');
  expect((await taskResult).result.by).toBe('old');
  await expect.poll(() => old !== undefined && gateway.upstreams().includes(old)).toBe(false);
  expect(await get()).toBe('new');
});

test('a server that is added while the servers are paused is read only after they resume', async () => {
  const one = server('one');
  const { connect, apply, gateway } = openGateway({ one });
  const client = await connect();
  await client.toolNames();
  const states = () => gateway.status().map(({ state }) => state);
  gateway.pause();
  apply({ one, two: server('two') });
  // Longer than the server needs to start.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(states()).toEqual(['ready', 'connecting']);
  gateway.resume();
  await expect.poll(states).toEqual(['ready', 'ready']);
});

test('a server removed while it is starting is stopped', async () => {
  const never = serverFromFile(newFolder());
  never.offer({ tools: [], mute: true });
  const { connect, apply, gateway } = openGateway({ one: never }, { settings: { listTimeoutMs: 50 } });
  const client = await connect();
  await client.toolNames();
  const lost = client.call('one__work');
  apply({});
  expect((await lost).error?.message).toContain('Unknown tool: one__work');
  await expect.poll(() => processes.alive().filter(({ command }) => command.includes('tools-from-file'))).toEqual([]);
  expect(gateway.status()).toEqual([]);
});

test('a changed lazy server that is idle is started once to list its tools', async () => {
  const cache = openCatalogCache({ folder: newFolder(), now: Date.now, onProblem: (message) => expect.fail(message) });
  const old: TestServer = { ...server('old'), start: 'lazy' };
  const first = openGateway({ one: old }, { cache });
  await (await first.connect()).toolNames();
  await first.gateway.close();
  const { connect, apply, gateway } = openGateway({ one: old }, { cache });
  const client = await connect();
  expect(await client.toolNames()).toEqual(['one__work']);
  expect(gateway.status()[0]?.state).toBe('idle');
  const other = serverFromFile(newFolder());
  other.offer({ tools: [tool('other')] });
  apply({ one: { ...other, start: 'lazy' } });
  await client.waitFor(({ method }) => method === CHANGED);
  expect(await client.toolNames()).toEqual(['one__other']);
});

test('an unanswered request of our own does not delay a successor', async () => {
  const own = serverFromFile(newFolder());
  own.offer({ tools: [tool('work')], version: 'old', mutePrompts: true });
  const { connect, apply } = openGateway({ one: { ...own, restart: 'stop-first' } });
  const client = await connect();
  await client.toolNames();
  apply({ one: { ...server('new'), restart: 'stop-first' } });
  expect(answered(await client.call('one__work'))).toMatchObject({ version: 'new' });
});
