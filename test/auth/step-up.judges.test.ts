import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { stateOf, textOf, useGatewayTestbeds } from './gateway-testbed.ts';
import type { ProtectedServerOptions } from './protected-server.ts';

const newTestbed = useGatewayTestbeds(trackProcesses());
type Testbed = Awaited<ReturnType<typeof newTestbed>>;

const WIDER = 'switchboard mcp login notes --scopes mcp:read,mcp:write';

describe.each([403, 401] as const)('a call that needs more scopes than granted, rejected with %i,', (scopeStatus) => {
  test.each([
    ['with a direct connection', ['--direct']],
    ['through a running gateway', []],
  ])('%s prints a login command that works when typed', async (_, options) => {
    const testbed = await narrowTestbed({ scopeStatus });
    if (options.length === 0) await testbed.openGatewayForCommands();
    const call = () => testbed.run('mcp', 'call', 'notes.needs-scope', ...options);
    const refused = await call();
    expect([refused.status, commandIn(refused.stderr)]).toEqual([3, WIDER]);
    await type(testbed, commandIn(refused.stderr));
    await expect.poll(async () => (await call()).stdout, { timeout: 30_000 }).toContain('written');
  });

  test('has the same command in its JSON, and refreshes no token', async () => {
    const testbed = await narrowTestbed({ scopeStatus });
    const refused = await testbed.run('mcp', 'call', 'notes.needs-scope', '--direct', '--json');
    expect([refused.status, JSON.parse(refused.stderr)]).toMatchObject([3, { error: { next: WIDER } }]);
    expect(testbed.authorizationServer.requests['token:refresh_token']).toBeUndefined();
  });
});

describe('a server that lists its tools without a sign-in', () => {
  test.each([
    ['with a direct connection', ['--direct']],
    ['through a running gateway', []],
  ])('and names scopes when it rejects a call: %s, the printed login command requests them', async (_, options) => {
    const testbed = await newTestbed({ server: { isOpen: true, challengeScope: 'mcp:read mcp:write' } });
    if (options.length === 0) await testbed.openGatewayForCommands();
    const call = () => testbed.run('mcp', 'call', 'notes.needs-scope', ...options);
    const refused = await call();
    expect([refused.status, commandIn(refused.stderr)]).toEqual([3, WIDER]);
    await type(testbed, commandIn(refused.stderr));
    await expect.poll(async () => (await call()).stdout, { timeout: 30_000 }).toContain('written');
  });
});

describe.each([403, 401] as const)(
  'a server that needs more scopes for everything, rejecting with %i,',
  (scopeStatus) => {
    test('is reported by every command with a login command that works when typed', async () => {
      const testbed = await narrowTestbed({ needsScopeForAll: true, scopeStatus });
      const tested = await testbed.run('mcp', 'test', 'notes');
      const listed = await testbed.run('mcp', 'tools', 'notes', '--direct');
      const checked = await testbed.run('gateway', '--check', '--json');
      expect([tested.stdout, listed.stderr, JSON.parse(checked.stdout).servers[0].next].map(commandIn)).toEqual([
        WIDER,
        WIDER,
        WIDER,
      ]);
      await type(testbed, WIDER);
      expect((await testbed.run('mcp', 'test', 'notes')).status).toBe(0);
    });

    test('is reported by a running gateway in the same way', async () => {
      const testbed = await narrowTestbed({ needsScopeForAll: true, scopeStatus });
      const gateway = await testbed.openGatewayForCommands();
      expect(commandIn(textOf(await gateway.call('notes__whoami')))).toBe(WIDER);
      await expect.poll(() => stateOf(gateway), { timeout: 30_000 }).toBe('auth_required');
      const { result } = await gateway.request('resources/read', { uri: 'switchboard://status' });
      const shown = await testbed.run('mcp', 'status');
      expect([JSON.parse(result.contents[0].text).servers[0].next, commandIn(shown.stdout)]).toEqual([WIDER, WIDER]);
    });
  },
);

async function narrowTestbed(server: ProtectedServerOptions): Promise<Testbed> {
  const testbed = await newTestbed({ server });
  await testbed.login('notes', '--scopes', 'mcp:read');
  return testbed;
}

/** Returns the login command in the message. */
function commandIn(text: string): string {
  return /switchboard mcp login [^\s"]+( --scopes [^\s"]+)?/.exec(text)?.[0] ?? text;
}

async function type(testbed: Testbed, command: string): Promise<void> {
  const [, ...words] = command.split(' ');
  const { status, stdout, stderr } = await testbed.run(...words, '--wait');
  expect({ status, stdout, stderr }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Signed in to notes'),
  });
}
