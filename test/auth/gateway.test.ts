import { describe, expect, test } from 'vitest';
import type { CliProcess } from '../gateway/cli-process.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { listChanges, stateOf, useGatewayWorlds, wordsOf } from './gateway-world.ts';

const newWorld = useGatewayWorlds(trackProcesses());
const NEEDED = /^1003 notes \(127\.0\.0\.1:\d+\) needs you to sign in.*Run: switchboard mcp login notes$/;

verifies(
  ['auth:flow:required', 'auth:flow:who-starts', 'auth:store:kept'],
  'a running gateway names the login command, and works once it has run elsewhere, until logout',
  async () => {
    const world = await newWorld();
    const gateway = await world.openGateway();
    expect(wordsOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
    expect(await stateOf(gateway)).toBe('auth_required');
    expect([world.browsers(), world.authorizationServer.requests]).toEqual([
      0,
      expect.not.objectContaining({ visit: 1 }),
    ]);
    const before = listChanges(gateway);

    await world.login();
    await gateway.waitFor(() => listChanges(gateway) > before);
    expect(await toolNames(gateway)).toEqual(['notes__echo', 'notes__whoami', 'notes__needs-scope']);
    expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
    expect([await stateOf(gateway), world.browsers()]).toEqual(['ready', 1]);
    const tested = JSON.parse((await world.run('mcp', 'test', 'notes', '--json')).stdout).servers[0];
    expect(tested.steps[1]).toMatchObject({ name: 'sign-in', result: 'signed in' });

    expect((await world.run('mcp', 'logout', 'notes')).status).toBe(0);
    await expect.poll(async () => wordsOf(await gateway.call('notes__whoami')), { timeout: 30_000 }).toMatch(NEEDED);
    expect([await stateOf(gateway), world.browsers()]).toEqual(['auth_required', 1]);
    await world.expectNoSecretSaid();
  },
);

test('never shows a token that the server repeats in an error, or its replacement', async () => {
  const world = await newWorld({
    authorizationServer: { accessTokenSeconds: 5 },
    server: { repeatsTokens: true },
  });
  await world.login();
  const gateway = await world.openGateway();
  const first = String(world.stored()?.['access_token']);
  expect(wordsOf(await gateway.call('notes__whoami'))).toBe('-32000 Server error: Refused: Bearer ***');
  await expect.poll(() => world.authorizationServer.findToken(first), { timeout: 30_000 }).toBeUndefined();
  expect(wordsOf(await gateway.call('notes__whoami'))).toBe('-32000 Server error: Refused: Bearer ***');
  expect(world.stored()?.['access_token']).not.toBe(first);
  const direct = await world.run('mcp', 'call', 'notes.whoami', '--direct', '--json');
  expect(direct.stderr).toContain('Refused: Bearer ***');
  await world.expectNoSecretSaid();
});

describe('a token that is no longer valid', () => {
  verifies('auth:store:refresh', 'because it expired is refreshed silently', async () => {
    const world = await newWorld({ authorizationServer: { accessTokenSeconds: 5 } });
    await world.login();
    const gateway = await world.openGateway();
    expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
    const before = [listChanges(gateway), statesTold(gateway)];
    const first = String(world.stored()?.['access_token']);
    await expect.poll(() => world.authorizationServer.findToken(first), { timeout: 30_000 }).toBeUndefined();
    expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
    expect(world.stored()?.['access_token']).not.toBe(first);
    expect([listChanges(gateway), statesTold(gateway)]).toEqual(before);
    expect(world.browsers()).toBe(1);
    await world.expectNoSecretSaid();
  });

  test('is refreshed too if it was revoked', async () => {
    const world = await newWorld();
    await world.login();
    const gateway = await world.openGateway();
    expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
    world.authorizationServer.forgetAccessTokens();
    expect(wordsOf(await gateway.call('notes__echo', { text: 'again' }))).toBe('again');
    expect([world.authorizationServer.requests['token:refresh_token'], world.browsers()]).toEqual([1, 1]);
    await world.expectNoSecretSaid();
  });

  verifies(
    'auth:flow:required',
    'and cannot be refreshed ends the sign-in: every call reports it, after one attempt and with one message',
    async () => {
      const world = await newWorld();
      await world.login();
      const gateway = await world.openGateway();
      expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
      world.authorizationServer.forgetAccessTokens();
      world.authorizationServer.forgetRefreshTokens();
      const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.call('notes__whoami')));
      expect(answers.map(wordsOf).filter((words) => !NEEDED.test(words))).toEqual([]);
      expect(wordsOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
      expect(await stateOf(gateway)).toBe('auth_required');
      expect(world.authorizationServer.requests['token:refresh_token:failed']).toBe(1);
      const told = () => statesTold(gateway).filter((line) => line.includes('auth_required'));
      await expect.poll(told).toEqual([expect.stringMatching(/Run: switchboard mcp login notes$/)]);
      expect(world.browsers()).toBe(1);

      await world.login();
      await expect.poll(async () => wordsOf(await gateway.call('notes__whoami')), { timeout: 30_000 }).toBe('alice');
      await world.expectNoSecretSaid();
    },
  );
});

test('a server that accepts no token causes two refreshes, for any number of calls and gateways', async () => {
  const world = await newWorld({ server: { takesNothing: true } });
  await world.login();
  const gateway = await world.openGateway();
  for (let count = 0; count < 4; count++) expect(wordsOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
  const other = await world.openGateway();
  const words = wordsOf(await other.call('notes__whoami'));
  expect(words).toMatch(NEEDED);
  expect(words).toContain('it rejects the tokens that its authorization server 127.0.0.1:');
  expect([await stateOf(gateway), await stateOf(other)]).toEqual(['auth_required', 'auth_required']);
  expect(world.authorizationServer.requests['token:refresh_token']).toBe(2);
  await world.expectNoSecretSaid();
});

test('two ids on one URL are two accounts in one gateway', async () => {
  const world = await newWorld({}, (url) => ({ other: { transport: 'http', url } }));
  await world.login('notes');
  world.authorizationServer.signInAs('bob');
  await world.login('other');
  const gateway = await world.openGateway();
  const calls = ['notes__whoami', 'other__whoami', 'other__whoami', 'notes__whoami'].map((name) => gateway.call(name));
  expect((await Promise.all(calls)).map(wordsOf)).toEqual(['alice', 'bob', 'bob', 'alice']);
  expect((await world.run('mcp', 'logout', 'other')).status).toBe(0);
  await expect
    .poll(async () => wordsOf(await gateway.call('other__whoami')), { timeout: 30_000 })
    .toMatch(/Run: switchboard mcp login other$/);
  expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
  await world.expectNoSecretSaid();
});

test('a tool that needs more scopes names the login command, and works after it', async () => {
  const world = await newWorld();
  await world.login('notes', '--scopes', 'mcp:read');
  const gateway = await world.openGateway();
  const refused = wordsOf(await gateway.call('notes__needs-scope'));
  expect(refused).toMatch(/^1003 notes \(.*Run: switchboard mcp login notes --scopes mcp:read,mcp:write$/);
  // The other tools of the server keep working.
  expect([wordsOf(await gateway.call('notes__whoami')), await stateOf(gateway)]).toEqual(['alice', 'ready']);
  await world.login('notes', ...(refused.split('mcp login notes ')[1] ?? '').split(' '));
  await expect.poll(async () => wordsOf(await gateway.call('notes__needs-scope')), { timeout: 30_000 }).toBe('written');
  expect(wordsOf(await gateway.call('notes__whoami'))).toBe('alice');
  await world.expectNoSecretSaid();
});

describe('four gateways with eight calls each', () => {
  verifies(
    'auth:store:refresh',
    'on an expired token: all calls succeed, after one refresh and without a browser',
    async () => {
      const world = await newWorld();
      await world.login();
      const before = { ...world.authorizationServer.requests };
      world.authorizationServer.forgetAccessTokens();
      world.store.update('notes', (record) => record && { ...record, expiresAt: Date.now() - 1_000 });
      const gateways = [1, 2, 3, 4].map(() => world.startGateway());
      // The calls are pending before the first connection exists.
      for (const gateway of gateways) gateway.send(HELLO);
      expect(await callAll(gateways)).toEqual(Array(32).fill('alice'));
      expect(world.authorizationServer.requests).toEqual({ ...before, 'token:refresh_token': 1 });
      expect(world.browsers()).toBe(1);
      await world.expectNoSecretSaid();
    },
  );

  test('with a token rejected in between: all are answered, after one refresh and no browser', async () => {
    const world = await newWorld();
    await world.login();
    const gateways = await Promise.all([1, 2, 3, 4].map(() => world.openGateway()));
    expect(await callAll(gateways)).toEqual(Array(32).fill('alice'));
    const before = { ...world.authorizationServer.requests };
    world.authorizationServer.forgetAccessTokens();
    expect(await callAll(gateways)).toEqual(Array(32).fill('alice'));
    expect(world.authorizationServer.requests).toEqual({ ...before, 'token:refresh_token': 1 });
    expect(world.browsers()).toBe(1);
    await world.expectNoSecretSaid();
  });
});

const HELLO = {
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

async function callAll(gateways: readonly CliProcess[]): Promise<readonly string[]> {
  const calls = gateways.flatMap((gateway) => Array.from({ length: 8 }, () => gateway.call('notes__whoami')));
  return (await Promise.all(calls)).map(wordsOf);
}

/** Returns the server states that stderr reported. */
function statesTold({ stderr }: CliProcess): readonly string[] {
  return stderr.split('\n').filter((line) => /\b(connecting|ready|auth_required|error)\b/.test(line));
}

async function toolNames(gateway: CliProcess): Promise<readonly string[]> {
  const { result } = await gateway.request('tools/list');
  return result.tools.map(({ name }: { readonly name: string }) => name);
}
