import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AggregateGateway } from '../../src/gateway/open/open-aggregate.ts';
import { type ExplainedTools, explainTools } from '../../src/gateway/status/explain-tools.ts';
import type { ProfileName } from '../../src/schema/profiles/profile.ts';
import { PROFILES } from '../../src/schema/profiles/registry.ts';
import { openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness } from './harness.ts';
import { statusOf } from './server-status.ts';
import { serverFromFile, testFolders, tool } from './tools-from-file.ts';

const newFolder = testFolders();
const { openGateway } = gatewayHarness();
const OBJECT = '{"type":"object"}';

interface Explaining {
  readonly profile?: ProfileName;
  readonly hasPrefix?: boolean;
}

/** For a gateway opened with the same profile. */
async function explain(
  gateway: AggregateGateway,
  serverId: string,
  { profile = 'codex', hasPrefix = true }: Explaining = {},
): Promise<ExplainedTools | undefined> {
  await new Promise<void>((resolve) => {
    gateway.onSettled(25_000, resolve);
    gateway.startOnly(serverId, {});
  });
  return explainTools(gateway.statusSources(), { serverId, hasPrefix, profile: PROFILES[profile] });
}

function openCache() {
  return openCatalogCache({ folder: newFolder(), now: Date.now, onProblem: (message) => expect.fail(message) });
}

test('a server that cannot start is explained with its cached tools, marked as such', async () => {
  const cache = openCache();
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('read')] });
  const before = openGateway({ one: server }, { cache });
  await (await before.connect()).toolNames();
  await before.gateway.close();

  server.offer({ tools: [], mute: true });
  const { gateway } = openGateway({ one: { ...server, startupTimeoutMs: 300 } }, { cache, profile: 'codex' });
  const { listed, tools } = (await explain(gateway, 'one')) ?? {};
  expect([listed, tools?.map(({ publicName }) => publicName)]).toEqual(['earlier', ['one__read']]);
});

test('a running server that cannot list its tools is reported as partly listed', async () => {
  const folder = newFolder();
  const server = serverFromFile(folder);
  writeFileSync(join(folder, 'offer.json'), '{}');
  const { gateway } = openGateway({ one: server }, { profile: 'codex' });
  expect(await explain(gateway, 'one')).toEqual({ listed: 'partly', tools: [], leftOut: [], unlistedServers: [] });
  expect(statusOf(gateway, 'one')).toMatchObject({
    state: 'degraded',
    problems: [expect.stringMatching(/^tools\/list failed: /)],
  });
});

test('a server that was never listed has no tools', async () => {
  const { gateway } = openGateway({ dead: fixture('dies-at-start') }, { profile: 'codex' });
  expect(await explain(gateway, 'dead')).toEqual({ listed: 'never', tools: [], leftOut: [], unlistedServers: [] });
});

test('an unused server has no tools to explain', () => {
  const origin = { layer: 'global', file: '/test/config.json', line: 2 } as const;
  const verdict = { kind: 'disabled', reason: 'disabled in its file', isUntrusted: false } as const;
  const { gateway } = openGateway({}, { unused: [{ id: 'off', origin, verdict }] });
  const options = { serverId: 'off', hasPrefix: true, profile: PROFILES.none };
  expect(explainTools(gateway.statusSources(), options)).toBeUndefined();
});

test('only the explained server is started', async () => {
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('read')] });
  const { gateway } = openGateway({ one: server, two: server, three: server }, { profile: 'codex' });
  await explain(gateway, 'two');
  expect(gateway.status().map(({ id, state, where }) => [id, state, where !== undefined])).toEqual([
    ['one', 'idle', false],
    ['two', 'ready', true],
    ['three', 'idle', false],
  ]);
});

test('every tool has its name, its repairs, why it is hidden or left out, and what was rewritten', async () => {
  const server = serverFromFile(newFolder());
  const tuple = { type: 'object', properties: { pair: { type: 'array', items: [{ type: 'string' }] } } };
  server.offer({
    tools: [
      tool('plain'),
      { name: 'odd name', inputSchema: null },
      tool('secret'),
      { name: 'pair', inputSchema: tuple },
      { name: '', inputSchema: {} },
    ],
  });
  const filter = { allow: undefined, deny: ['secret'] };
  const { gateway } = openGateway({ one: { ...server, tools: filter } }, { profile: 'codex' });
  const explained = await explain(gateway, 'one');
  const { rewrites = [], after = '' } = explained?.tools[3] ?? {};
  const untouched = { repairs: [], rewrites: [], before: OBJECT, after: OBJECT };
  expect(explained).toEqual({
    listed: 'now',
    tools: [
      { ...untouched, name: 'plain', publicName: 'one__plain' },
      {
        ...untouched,
        name: 'odd name',
        publicName: 'one__odd_name',
        whyNamedSo: 'its own name has characters that are not allowed',
        repairs: ['inputSchema was not an object; any arguments are accepted'],
      },
      { ...untouched, name: 'secret', publicName: 'one__secret', hidden: 'hidden: the config denies it' },
      { name: 'pair', publicName: 'one__pair', repairs: [], rewrites, before: JSON.stringify(tuple), after },
    ],
    leftOut: [{ name: undefined, reason: 'its name is empty' }],
    unlistedServers: [],
  });
  expect(rewrites.map(({ path, isNarrowing }) => [path, isNarrowing])).toContainEqual(['properties.pair', false]);
  expect(JSON.parse(after).properties.pair.items).not.toBeInstanceOf(Array);
});

test('the explanation matches what a client with this profile gets', async () => {
  for (const profile of ['none', 'codex', 'codex-legacy'] as const) {
    const { gateway, connect } = openGateway({ odd: fixture('odd-tools') }, { profile });
    const explained = await explain(gateway, 'odd', { profile });
    const { result } = await (await connect()).request('tools/list');
    const reported = explained?.tools.map(({ publicName, after }) => [publicName, JSON.parse(after)]);
    expect(reported).toEqual(
      result.tools.map(({ name, inputSchema }: { name: string; inputSchema: unknown }) => [name, inputSchema]),
    );
    await gateway.close();
  }
});

test('tools quarantined by a pin are listed with the next step', async () => {
  const folder = newFolder();
  const server = { ...serverFromFile(folder), pin: true };
  const options = { env: { SWITCHBOARD_HOME: folder }, profile: 'codex' } as const;
  server.offer({ tools: [tool('read')] });
  const first = openGateway({ one: server }, options);
  await (await first.connect()).toolNames();
  await first.gateway.close();

  server.offer({ tools: [tool('read', 'Reads and sends'), tool('steal')] });
  const { gateway } = openGateway({ one: server }, options);
  const explained = await explain(gateway, 'one');
  expect(explained?.tools.map(({ name, hidden }) => [name, hidden])).toEqual([
    ['read', 'quarantined: it changed since it was trusted. Run: switchboard trust one'],
    ['steal', 'quarantined: it is new. Run: switchboard trust one'],
  ]);
});

test('without prefixes, it shows which server owns a name and which servers are not listed', async () => {
  const cache = openCache();
  const server = serverFromFile(newFolder());
  server.offer({ tools: [tool('read'), tool('write')] });
  const filter = { allow: ['read'], deny: [] };
  const servers = { one: { ...server, tools: filter }, two: server, three: server };
  const before = openGateway({ one: servers.one }, { cache, hasPrefix: false });
  await (await before.connect()).toolNames();
  await before.gateway.close();

  const { gateway } = openGateway(servers, { cache, hasPrefix: false, profile: 'codex' });
  const { tools, unlistedServers } = (await explain(gateway, 'three', { hasPrefix: false })) ?? {};
  expect(tools?.map(({ publicName, hidden }) => [publicName, hidden])).toEqual([
    ['read', 'not listed: one already lists read'],
    ['write', undefined],
  ]);
  expect(unlistedServers).toEqual(['two']);
  expect(statusOf(gateway, 'two').state).toBe('idle');
});
