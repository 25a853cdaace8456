import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { stateOf, useGatewayWorlds, wordsOf } from './gateway-world.ts';
import type { ProtectedServerOptions } from './protected-server.ts';

const newWorld = useGatewayWorlds(trackProcesses());
type World = Awaited<ReturnType<typeof newWorld>>;

const WIDER = 'switchboard mcp login notes --scopes mcp:read,mcp:write';

describe.each([403, 401] as const)('a call that needs more scopes than granted, rejected with %i,', (scopeStatus) => {
  test.each([
    ['with a direct connection', ['--direct']],
    ['through a running gateway', []],
  ])('%s prints a login command that works when typed', async (_, options) => {
    const world = await narrowWorld({ scopeStatus });
    if (options.length === 0) await world.openGatewayForCommands();
    const call = () => world.run('mcp', 'call', 'notes.needs-scope', ...options);
    const refused = await call();
    expect([refused.status, commandIn(refused.stderr)]).toEqual([3, WIDER]);
    await type(world, commandIn(refused.stderr));
    await expect.poll(async () => (await call()).stdout, { timeout: 30_000 }).toContain('written');
  });

  test('has the same command in its JSON, and refreshes no token', async () => {
    const world = await narrowWorld({ scopeStatus });
    const refused = await world.run('mcp', 'call', 'notes.needs-scope', '--direct', '--json');
    expect([refused.status, JSON.parse(refused.stderr)]).toMatchObject([3, { error: { next: WIDER } }]);
    expect(world.authorizationServer.requests['token:refresh_token']).toBeUndefined();
  });
});

describe('a server that lists its tools without a sign-in', () => {
  test.each([
    ['with a direct connection', ['--direct']],
    ['through a running gateway', []],
  ])('and names scopes when it rejects a call: %s, the printed login command requests them', async (_, options) => {
    const world = await newWorld({ server: { isOpen: true, challengeScope: 'mcp:read mcp:write' } });
    if (options.length === 0) await world.openGatewayForCommands();
    const call = () => world.run('mcp', 'call', 'notes.needs-scope', ...options);
    const refused = await call();
    expect([refused.status, commandIn(refused.stderr)]).toEqual([3, WIDER]);
    await type(world, commandIn(refused.stderr));
    await expect.poll(async () => (await call()).stdout, { timeout: 30_000 }).toContain('written');
  });
});

describe.each([403, 401] as const)(
  'a server that needs more scopes for everything, rejecting with %i,',
  (scopeStatus) => {
    test('is reported by every command with a login command that works when typed', async () => {
      const world = await narrowWorld({ needsScopeForAll: true, scopeStatus });
      const tested = await world.run('mcp', 'test', 'notes');
      const listed = await world.run('mcp', 'tools', 'notes', '--direct');
      const checked = await world.run('gateway', '--check', '--json');
      expect([tested.stdout, listed.stderr, JSON.parse(checked.stdout).servers[0].next].map(commandIn)).toEqual([
        WIDER,
        WIDER,
        WIDER,
      ]);
      await type(world, WIDER);
      expect((await world.run('mcp', 'test', 'notes')).status).toBe(0);
    });

    test('is reported by a running gateway in the same way', async () => {
      const world = await narrowWorld({ needsScopeForAll: true, scopeStatus });
      const gateway = await world.openGatewayForCommands();
      expect(commandIn(wordsOf(await gateway.call('notes__whoami')))).toBe(WIDER);
      await expect.poll(() => stateOf(gateway), { timeout: 30_000 }).toBe('auth_required');
      const { result } = await gateway.request('resources/read', { uri: 'switchboard://status' });
      const shown = await world.run('mcp', 'status');
      expect([JSON.parse(result.contents[0].text).servers[0].next, commandIn(shown.stdout)]).toEqual([WIDER, WIDER]);
    });
  },
);

async function narrowWorld(server: ProtectedServerOptions): Promise<World> {
  const world = await newWorld({ server });
  await world.login('notes', '--scopes', 'mcp:read');
  return world;
}

/** Returns the login command in the message. */
function commandIn(text: string): string {
  return /switchboard mcp login [^\s"]+( --scopes [^\s"]+)?/.exec(text)?.[0] ?? text;
}

async function type(world: World, command: string): Promise<void> {
  const [, ...words] = command.split(' ');
  const { status, stdout, stderr } = await world.run(...words, '--wait');
  expect({ status, stdout, stderr }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Signed in to notes'),
  });
}
