import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type CatalogCache, openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type TestServer } from './harness.ts';
import { answered, type Offer, serverFromFile, testFolders, tool } from './tools-from-file.ts';

const newFolder = testFolders();
const { openGateway, processes } = gatewayHarness();
const CHANGED = 'notifications/tools/list_changed';

function openCache(folder = newFolder()): CatalogCache {
  return openCatalogCache({ folder, now: Date.now, onProblem: (message) => expect.fail(message) });
}

/** One run in which everything is listed. */
async function cacheCatalogs(servers: Readonly<Record<string, TestServer>>, cache: CatalogCache) {
  const { connect, gateway } = openGateway(servers, { cache });
  const names = await (await connect()).toolNames();
  await gateway.close();
  return names;
}

test('a server that hangs is listed at once from the cached catalog', async () => {
  const cache = openCache();
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('read'), tool('write')] });
  expect(await cacheCatalogs({ one: server }, cache)).toEqual(['one__read', 'one__write']);

  server.offer({ tools: [], mute: true });
  const { connect, gateway } = openGateway({ one: server }, { cache, settings: { listTimeoutMs: 60_000 } });
  expect(await (await connect()).toolNames()).toEqual(['one__read', 'one__write']);
  expect(gateway.status()[0]).toMatchObject({ state: 'connecting', tools: 2 });
});

test('a difference between cached and actual tools is announced to the client and shown in the status', async () => {
  const cache = openCache();
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('stays'), tool('changes', 'Reads'), tool('goes')] });
  await cacheCatalogs({ one: server }, cache);

  server.offer({ tools: [tool('stays'), tool('changes', 'Reads and sends'), tool('comes')], startMs: 300 });
  const log: string[] = [];
  const { connect, gateway } = openGateway({ one: server }, { cache, log });
  const client = await connect();
  expect(await client.toolNames()).toEqual(['one__stays', 'one__changes', 'one__goes']);
  await client.waitFor(({ method }) => method === CHANGED);
  expect(await client.toolNames()).toEqual(['one__stays', 'one__changes', 'one__comes']);
  expect(gateway.status()[0]?.changedTools).toEqual([
    { name: 'changes', what: 'description: "Reads" -> "Reads and sends"' },
    { name: 'comes', what: 'new' },
    { name: 'goes', what: 'gone' },
  ]);
  expect(log).toContain('one: changes: description: "Reads" -> "Reads and sends"');
});

test('a definition that contains its start time is not reported at every start', async () => {
  const cache = openCache();
  const server = serverFromFile(newFolder());
  const dated = (at: string, day: string) => ({
    name: 'search',
    description: `Searches. Today is ${day}.`,
    inputSchema: { type: 'object', properties: { until: { type: 'string', default: at } } },
  });
  server.offer({ tools: [dated('2026-11-16T10:00:00.123Z', 'Monday, November 16, 2026'), tool('changes', 'Reads')] });
  await cacheCatalogs({ one: server }, cache);

  server.offer({
    tools: [dated('2026-11-17T08:59:00.001Z', 'Tuesday, November 17, 2026'), tool('changes', 'Reads 2')],
  });
  const { connect, gateway } = openGateway({ one: server }, { cache });
  await (await connect()).toolNames();
  await expect
    .poll(() => gateway.status()[0]?.changedTools)
    .toEqual([{ name: 'changes', what: 'description: "Reads" -> "Reads 2"' }]);
});

test('nothing is sent if the cached list is current', async () => {
  const cache = openCache();
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('read')] });
  await cacheCatalogs({ one: server }, cache);
  const { connect, gateway } = openGateway({ one: server }, { cache });
  const client = await connect();
  await client.toolNames();
  await expect.poll(() => gateway.status()[0]?.state).toBe('ready');
  await client.call('one__read', {});
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(client.notifications(CHANGED)).toEqual([]);
  expect(gateway.status()[0]?.changedTools).toEqual([]);
});

test('a call to a cached tool waits for its server', async () => {
  const cache = openCache();
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('read')] });
  await cacheCatalogs({ one: server }, cache);
  server.offer({ tools: [tool('read')], startMs: 300 });
  const client = await openGateway({ one: server }, { cache }).connect();
  await client.toolNames();
  expect(answered(await client.call('one__read', { path: 'a' }))).toMatchObject({ arguments: { path: 'a' } });
});

test('a lazy server with a cached catalog starts at its first call', async () => {
  const cache = openCache();
  const lazy = { ...serverFromFile(newFolder()), start: 'lazy' as const };
  lazy.offer({ tools: [tool('read')] });
  expect(await cacheCatalogs({ one: lazy }, cache)).toEqual(['one__read']);

  const { connect, gateway } = openGateway({ one: lazy }, { cache });
  const client = await connect();
  expect(await client.toolNames()).toEqual(['one__read']);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(gateway.status()[0]).toMatchObject({ state: 'idle', reason: 'starts at its first call', tools: 1 });
  expect(processes.alive()).toEqual([]);
  const { pid } = answered(await client.call('one__read'));
  expect(gateway.status()[0]).toMatchObject({ state: 'ready', where: `pid ${pid}` });
});

test('all servers are lazy if the gateway is', async () => {
  const cache = openCache();
  const servers = { one: fixture('well-behaved'), two: fixture('gives-instructions') };
  const names = await cacheCatalogs(servers, cache);
  const { connect, gateway } = openGateway(servers, { cache, isLazy: true });
  expect(await (await connect()).toolNames()).toEqual(names);
  expect(gateway.status().map(({ state }) => state)).toEqual(['idle', 'idle']);
});

test('prompts, resources and templates are cached too', async () => {
  const cache = openCache();
  const servers = { one: fixture('offers-everything') };
  const kinds = ['prompts/list', 'resources/list', 'resources/templates/list'];
  const lists = async (isLazy: boolean) => {
    const { connect, gateway } = openGateway(servers, { cache, isLazy });
    const client = await connect();
    const answers = [];
    for (const kind of kinds) answers.push((await client.request(kind)).result);
    const state = gateway.status()[0]?.state;
    await gateway.close();
    return { answers, state };
  };
  const first = await lists(false);
  expect(JSON.stringify(first.answers)).toContain('"uri"');
  expect(await lists(true)).toEqual({ ...first, state: 'idle' });
});

test('a different environment value or client uses a different catalog', async () => {
  const folder = newFolder();
  const cache = openCache(folder);
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('read')] });
  await cacheCatalogs({ one: { ...server, env: { TOKEN: 'first' } } }, cache);
  const [file = ''] = readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile());
  expect(readFileSync(file, 'latin1')).not.toContain('first');
  expect(statSync(file).mode & 0o777).toBe(0o600);

  server.offer({ tools: [], mute: true });
  const settings = { listTimeoutMs: 100 };
  const other = openGateway({ one: { ...server, env: { TOKEN: 'second' } } }, { cache, settings });
  expect(await (await other.connect()).toolNames()).toEqual([]);
  const again = openGateway({ one: { ...server, env: { TOKEN: 'first' } } }, { cache, settings });
  expect(await (await again.connect()).toolNames()).toEqual(['one__read']);
});

test('a catalog listed for a client without capabilities serves every client until the server is ready, but not vice versa', async () => {
  const cache = openCache(newFolder());
  const able = { capabilities: { sampling: {} } };
  const server = serverFromFile(newFolder());
  const toolNames = async (hello: object) => {
    const { connect, gateway } = openGateway({ one: { ...server } }, { cache });
    const names = await (await connect(hello)).toolNames();
    await gateway.close();
    return names;
  };
  server.offer({ tools: [tool('for-the-able')] });
  expect(await toolNames(able)).toEqual(['one__for-the-able']);
  server.offer({ tools: [tool('for-all')] });
  expect(await toolNames({})).toEqual(['one__for-all']);
  server.offer({ tools: [], mute: true });
  expect(await toolNames(able)).toEqual(['one__for-the-able']);
  expect(await toolNames({ capabilities: { roots: {} } })).toEqual(['one__for-all']);
});

describe('the catalog listed for a client without capabilities, and a client with more', () => {
  const able = { capabilities: { elicitation: {} } };
  const codex = { ...able, clientInfo: { name: 'codex-mcp-client', version: '0.166.0' } };

  async function firstList(hello: object, later: Offer) {
    const cache = openCache();
    const server = serverFromFile(newFolder());
    server.offer({ tools: [tool('for-all')] });
    await cacheCatalogs({ one: server }, cache);
    server.offer(later);
    const settings = { listTimeoutMs: 1_000 };
    const { connect } = openGateway({ one: server }, { cache, settings });
    return (await connect(hello)).toolNames();
  }

  verifies(
    'connect:tools:same',
    'Codex, which lists once, waits for the tools that the server has for it',
    async () => {
      const later = { tools: [tool('for-all'), tool('for-the-able')], startMs: 300 };
      expect(await firstList(codex, later)).toEqual(['one__for-all', 'one__for-the-able']);
    },
  );

  test('Codex gets it after the list timeout if the server does not answer', async () => {
    expect(await firstList(codex, { tools: [], mute: true })).toEqual(['one__for-all']);
  });

  test('any other client gets it at once', async () => {
    expect(await firstList(able, { tools: [], mute: true })).toEqual(['one__for-all']);
  });
});

test('a config that is reloaded before the first client connects does not change whose catalog is cached', async () => {
  const cache = openCache(newFolder());
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('for-the-able')] });
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { connect, gateway, apply } = openGateway({ one: server }, { cache });
  apply({ one: server });
  gateway.trustChanged();
  // Longer than any change waits until it is saved.
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  const client = await connect({ capabilities: { sampling: {} } });
  expect(await client.toolNames()).toEqual(['one__for-the-able']);
  await gateway.close();
  server.offer({ tools: [], mute: true });
  const other = openGateway({ one: server }, { cache, settings: { listTimeoutMs: 100 } });
  expect(await (await other.connect()).toolNames()).toEqual([]);
});

test('a server whose list changes every time is followed, and cached only occasionally', async () => {
  const folder = newFolder();
  const writes: string[] = [];
  const cache = openCache(folder);
  const counting: CatalogCache = {
    ...cache,
    write(id, key, catalog) {
      writes.push(id);
      return cache.write(id, key, catalog);
    },
  };
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('t-0')] });
  const { connect, gateway } = openGateway({ one: server }, { cache: counting });
  const client = await connect();
  await client.toolNames();
  const begin = performance.now();
  for (let turn = 1; turn <= 20; turn++) {
    server.offer({ tools: [tool(`t-${turn}`)] });
    await client.call((await client.toolNames())[0] ?? '', { announce: true });
    await client.waitFor(({ method }) => method === CHANGED);
    client.received.length = 0;
  }
  expect(await client.toolNames()).toEqual(['one__t-20']);
  expect(gateway.status()[0]?.changedTools.length).toBeLessThanOrEqual(50);
  await gateway.close();
  // The first two lists, the last one, and one every five seconds.
  expect(writes.length).toBeLessThanOrEqual(3 + Math.floor((performance.now() - begin) / 5_000));
  server.offer({ tools: [], mute: true });
  expect(await (await openGateway({ one: server }, { cache }).connect()).toolNames()).toEqual(['one__t-20']);
});
