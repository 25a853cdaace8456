import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPinStore } from '../../src/config/trust/pin-store.ts';
import { openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { gatewayHarness } from './harness.ts';
import { answered, serverFromFile, testFolders, tool } from './tools-from-file.ts';

const newFolder = testFolders();
const { openGateway } = gatewayHarness();
const CHANGED = 'notifications/tools/list_changed';

function pinned() {
  const folder = newFolder();
  const server = { ...serverFromFile(folder), pin: true };
  const env = { SWITCHBOARD_HOME: folder };
  const log: string[] = [];
  return {
    folder,
    server,
    log,
    open: () => openGateway({ one: server }, { env, log }),
    store: openPinStore({ cwd: folder, home: folder, env, platform: process.platform }),
  };
}

test('the first tools of a pinned server are trusted, and later changes and additions are quarantined', async () => {
  const { server, open, log, store } = pinned();
  server.offer({ tools: [tool('read', 'Reads'), tool('write')] });
  const first = open();
  expect(await (await first.connect()).toolNames()).toEqual(['one__read', 'one__write']);
  await first.gateway.close();

  server.offer({ tools: [tool('read', 'Reads and sends'), tool('write'), tool('steal')] });
  const { connect, gateway } = open();
  const client = await connect();
  expect(await client.toolNames()).toEqual(['one__write']);
  expect(gateway.status()[0]?.changes).toEqual([
    { name: 'read', what: 'quarantined: it changed since it was trusted. Run: switchboard trust one' },
    { name: 'steal', what: 'quarantined: it is new. Run: switchboard trust one' },
  ]);
  expect(log).toContain('one: quarantined until you trust them: read, steal. Run: switchboard trust one');
  expect((await client.call('one__steal')).error?.message).toBe(
    'Unknown tool: one__steal. It is quarantined: it is new. Run: switchboard trust one',
  );
  expect(Object.keys(store.read('/test/config.json', 'one')?.pending ?? {})).toEqual(['read', 'steal']);
});

test('a running gateway offers quarantined tools as soon as they are trusted', async () => {
  const { server, open, store } = pinned();
  server.offer({ tools: [tool('read', 'Reads')] });
  const first = open();
  await (await first.connect()).toolNames();
  await first.gateway.close();
  server.offer({ tools: [tool('read', 'Reads more')] });
  const { connect, gateway } = open();
  const client = await connect();
  expect(await client.toolNames()).toEqual([]);

  const record = store.read('/test/config.json', 'one');
  if (record === undefined) return expect.fail('nothing is pinned');
  const trusted = Object.entries(record.pending).map(([name, { hash }]) => [name, hash]);
  store.write({ ...record, tools: { ...record.tools, ...Object.fromEntries(trusted) }, pending: {} });
  gateway.trustChanged();
  await client.waitFor(({ method }) => method === CHANGED);
  expect(await client.toolNames()).toEqual(['one__read']);
});

test('a change while the server runs is quarantined too, with a description of the difference', async () => {
  const { server, open, store } = pinned();
  server.offer({ tools: [tool('read', 'Reads'), tool('other')] });
  const client = await open().connect();
  await client.toolNames();
  server.offer({ tools: [tool('read', 'Reads and sends'), tool('other')] });
  await client.call('one__other', { announce: true });
  await client.waitFor(({ method }) => method === CHANGED);
  expect(await client.toolNames()).toEqual(['one__other']);
  expect(store.read('/test/config.json', 'one')?.pending['read']?.difference).toBe(
    'description: "Reads" -> "Reads and sends"',
  );
});

test('if the pins cannot be read, nothing is trusted', async () => {
  const { folder, server, open, log } = pinned();
  server.offer({ tools: [tool('read')] });
  writeFileSync(join(folder, 'pins.json'), '{"version":99}', { mode: 0o600 });
  const { connect, gateway } = open();
  expect(await (await connect()).toolNames()).toEqual([]);
  expect(gateway.status()[0]?.changes[0]?.what).toMatch(/^quarantined: .*pins\.json/);
  expect(log.some((line) => line.includes('its tools are quarantined'))).toBe(true);
});

test.each([
  ['responds to another list with an error', { failPrompts: true }],
  ['never ends its list', { loops: true }],
])('a server that %s is still pinned', async (_, habit) => {
  const { server, open } = pinned();
  server.offer({ tools: [tool('read')], ...habit });
  const first = open();
  expect(await (await first.connect()).toolNames()).toEqual(['one__read']);
  await first.gateway.close();
  server.offer({ tools: [tool('read', 'Reads and sends'), tool('steal')], ...habit });
  const { connect, gateway } = open();
  expect(await (await connect()).toolNames()).toEqual([]);
  await expect.poll(() => gateway.status()[0]?.changes.map(({ name }) => name)).toEqual(['read', 'steal']);
});

test('a cached catalog is not trusted because it is cached', async () => {
  const { server, open, folder } = pinned();
  const cache = openCatalogCache({ folder, now: Date.now, onProblem: (message) => expect.fail(message) });
  server.offer({ tools: [tool('old')] });
  const first = openGateway({ one: { ...server, pin: false } }, { cache });
  await (await first.connect()).toolNames();
  await first.gateway.close();
  server.offer({ tools: [tool('new')] });
  const { gateway, connect } = openGateway({ one: server }, { cache, env: { SWITCHBOARD_HOME: folder } });
  expect(await (await connect()).toolNames()).toEqual(['one__new']);
  await gateway.close();
  expect(await (await open().connect()).toolNames()).toEqual(['one__new']);
});

test('a call before the list of a pinned server waits for it, and is refused if the tool has changed', async () => {
  const { server, folder } = pinned();
  const cache = openCatalogCache({ folder, now: Date.now, onProblem: (message) => expect.fail(message) });
  const open = () => openGateway({ one: server }, { cache, env: { SWITCHBOARD_HOME: folder } });
  server.offer({ tools: [tool('read', 'Reads'), tool('other')] });
  const first = open();
  await (await first.connect()).toolNames();
  await first.gateway.close();
  server.offer({ tools: [tool('read', 'Reads and sends'), tool('other')], startMs: 100 });
  const client = await open().connect();
  const [read, other] = await Promise.all([client.call('one__read'), client.call('one__other')]);
  expect(read.error?.message).toBe(
    'Unknown tool: one__read. It is quarantined: it changed since it was trusted. Run: switchboard trust one',
  );
  expect(answered(other).tool).toBe('other');
});

test('a restarted pinned server is compared before it is called', async () => {
  const { server, open } = pinned();
  server.offer({ tools: [tool('read', 'Reads'), tool('other')] });
  const client = await open().connect();
  await client.toolNames();
  const { pid } = answered(await client.call('one__other'));
  server.offer({ tools: [tool('read', 'Reads and sends'), tool('other')], startMs: 100 });
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
  const read = await client.call('one__read');
  expect(read.result).toBeUndefined();
  const { pid: next, tool: called } = answered(await client.call('one__other'));
  expect({ called, isAnother: next !== pid }).toEqual({ called: 'other', isAnother: true });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // There is no such process.
    return false;
  }
}
