import { afterEach, describe, expect, test, vi } from 'vitest';
import { LOCAL_PRINCIPAL } from '../../src/serve/access/no-auth.ts';
import type { Access } from '../../src/serve/fronts/http/principal.ts';
import { type HttpFixture, openHttpFixture } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import type { TestServer } from '../gateway/harness.ts';
import { at } from '../http/harness.ts';
import { verifies } from '../verifies.ts';
import { gatewayHttpHarness } from './harness.ts';
import { RawClient } from './raw-client.ts';

const { openGateway, processes } = gatewayHttpHarness();
const WITHIN = { timeout: 20_000, interval: 20 };

const started: HttpFixture[] = [];
afterEach(() => Promise.all(started.splice(0).map((server) => server.close())));

/** All clients of this gateway have a token. */
const access: Access = {
  authenticate: () => ({ ...LOCAL_PRINCIPAL, tokenId: 'some' }),
  onRevoked: () => () => undefined,
};

/** Starts a modern server that says this about caching. */
async function modern(ttlMs: number, cacheScope: string, announces = 'yes'): Promise<TestServer> {
  const options = ['--ttl', String(ttlMs), '--scope', cacheScope, '--announces', announces];
  const server = await openHttpFixture('modern', { options, env: processes.env() });
  started.push(server);
  return at(server.url);
}

async function hintsOf(client: RawClient, method = 'tools/list') {
  const { ttlMs, cacheScope } = (await client.request(method)).result;
  return [ttlMs, cacheScope];
}

/** Waits until all servers are listed, because the hints of an incomplete list are different. */
async function settled(client: RawClient, names: readonly string[]): Promise<RawClient> {
  await vi.waitFor(async () => {
    const { tools } = (await client.request('tools/list')).result;
    const listed: string[] = tools.map(({ name }: { name: string }) => name);
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
  }, WITHIN);
  return client;
}

describe('the hints of an aggregate list', () => {
  const MINUTE = 60_000;

  verifies('gateway:modern:cache-hints', 'are the most cautious of its servers', async () => {
    const [long, short, own] = [
      await modern(5 * MINUTE, 'public'),
      await modern(MINUTE, 'public'),
      await modern(MINUTE, 'private'),
    ];
    const legacy = fixture('well-behaved');
    const expected: readonly [Record<string, TestServer>, readonly unknown[]][] = [
      [{ long }, [5 * MINUTE, 'public']],
      [{ long, short }, [MINUTE, 'public']],
      [{ long, own }, [MINUTE, 'private']],
      [{ long, legacy }, [0, 'private']],
    ];
    for (const [servers, hints] of expected) {
      const { url } = await openGateway(servers);
      const names = Object.keys(servers).map((id) => `${id}__echo`);
      const client = await settled(new RawClient(url, 'modern'), names);
      expect([Object.keys(servers), await hintsOf(client)]).toEqual([Object.keys(servers), hints]);
    }
  });

  test('permit no caching while a server is down', async () => {
    const { url } = await openGateway({ one: await modern(MINUTE, 'public'), two: fixture('dies-at-start') });
    const client = await settled(new RawClient(url, 'modern'), ['one__echo']);
    expect(await hintsOf(client)).toEqual([0, 'private']);
  });

  test('permit no caching if no server has such a list', async () => {
    const { url } = await openGateway({ one: await modern(MINUTE, 'public') });
    const client = await settled(new RawClient(url, 'modern'), ['one__echo']);
    expect(await hintsOf(client, 'prompts/list')).toEqual([0, 'private']);
    expect(await hintsOf(client, 'server/discover')).toEqual([0, 'private']);
  });

  test('are private for a client that needed a token, or whose definitions are rewritten', async () => {
    const one = await modern(MINUTE, 'public');
    const open = await openGateway({ one });
    const client = await settled(new RawClient(open.url, 'modern'), ['one__echo']);
    const meta = { 'io.modelcontextprotocol/clientInfo': { name: 'codex-mcp-client', version: '0.166.0' } };
    const { result } = await client.request('tools/list', {}, { meta });
    expect(result).toMatchObject({ ttlMs: MINUTE, cacheScope: 'private' });
    const guarded = await openGateway({ one }, { access });
    expect(await hintsOf(await settled(new RawClient(guarded.url, 'modern'), ['one__echo']))).toEqual([
      MINUTE,
      'private',
    ]);
  });
});

test('the hints of a modern server at /mcp/<server> stay the same beside a legacy server', async () => {
  const { url } = await openGateway({ one: await modern(7_000, 'public'), two: fixture('well-behaved') });
  expect(await hintsOf(await settled(new RawClient(`${url}/one`, 'modern'), ['echo']))).toEqual([7_000, 'public']);
  expect(await hintsOf(await settled(new RawClient(`${url}/two`, 'modern'), ['echo']))).toEqual([0, 'private']);
});

describe('a modern server that announces no changes', () => {
  test('lets clients cache its list for the remaining time', async () => {
    const { url } = await openGateway({ one: await modern(3_600_000, 'public', 'no') });
    const client = await settled(new RawClient(url, 'modern'), ['one__echo']);
    const [ttlMs] = await hintsOf(client);
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThan(3_600_000);
  });

  verifies('gateway:modern:expired', 'is asked for its list again when a client requests it later', async () => {
    const { url } = await openGateway({ one: await modern(0, 'private', 'no') });
    const client = await settled(new RawClient(url, 'modern'), ['one__echo']);
    await client.call('one__notify-me');
    await settled(client, ['one__grown-1']);
  });
});
