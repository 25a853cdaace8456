import { describe, expect, test } from 'vitest';
import type { CliProcess } from '../gateway/cli-process.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { listChanges, stateOf, textOf, useGatewayTestbeds } from './gateway-testbed.ts';

const newTestbed = useGatewayTestbeds(trackProcesses());
const NEEDED = /^1003 notes \(127\.0\.0\.1:\d+\) needs you to sign in.*Run: switchboard mcp login notes$/;

verifies(
  ['auth:flow:required', 'auth:flow:who-starts', 'auth:store:kept'],
  'a running gateway names the login command, and works once it has run elsewhere, until logout',
  async () => {
    const testbed = await newTestbed();
    const gateway = await testbed.openGateway();
    expect(textOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
    expect(await stateOf(gateway)).toBe('auth_required');
    expect([testbed.browsers(), testbed.authorizationServer.requests]).toEqual([
      0,
      expect.not.objectContaining({ visit: 1 }),
    ]);
    const before = listChanges(gateway);

    await testbed.login();
    await gateway.waitFor(() => listChanges(gateway) > before);
    expect(await toolNames(gateway)).toEqual(['notes__echo', 'notes__whoami', 'notes__needs-scope']);
    expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
    expect([await stateOf(gateway), testbed.browsers()]).toEqual(['ready', 1]);
    const tested = JSON.parse((await testbed.run('mcp', 'test', 'notes', '--json')).stdout).servers[0];
    expect(tested.steps[1]).toMatchObject({ name: 'sign-in', result: 'signed in' });

    expect((await testbed.run('mcp', 'logout', 'notes')).status).toBe(0);
    await expect.poll(async () => textOf(await gateway.call('notes__whoami')), { timeout: 30_000 }).toMatch(NEEDED);
    expect([await stateOf(gateway), testbed.browsers()]).toEqual(['auth_required', 1]);
    await testbed.expectNoSecretSaid();
  },
);

test('never shows a token that the server repeats in an error, or its replacement', async () => {
  const testbed = await newTestbed({
    authorizationServer: { accessTokenSeconds: 5 },
    server: { repeatsTokens: true },
  });
  await testbed.login();
  const gateway = await testbed.openGateway();
  const first = String(testbed.stored()?.['access_token']);
  expect(textOf(await gateway.call('notes__whoami'))).toBe('-32000 Server error: Refused: Bearer ***');
  await expect.poll(() => testbed.authorizationServer.findToken(first), { timeout: 30_000 }).toBeUndefined();
  expect(textOf(await gateway.call('notes__whoami'))).toBe('-32000 Server error: Refused: Bearer ***');
  expect(testbed.stored()?.['access_token']).not.toBe(first);
  const direct = await testbed.run('mcp', 'call', 'notes.whoami', '--direct', '--json');
  expect(direct.stderr).toContain('Refused: Bearer ***');
  await testbed.expectNoSecretSaid();
});

describe('a token that is no longer valid', () => {
  verifies('auth:store:refresh', 'because it expired is refreshed silently', async () => {
    const testbed = await newTestbed({ authorizationServer: { accessTokenSeconds: 5 } });
    await testbed.login();
    const gateway = await testbed.openGateway();
    expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
    const before = [listChanges(gateway), stateLines(gateway)];
    const first = String(testbed.stored()?.['access_token']);
    await expect.poll(() => testbed.authorizationServer.findToken(first), { timeout: 30_000 }).toBeUndefined();
    expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
    expect(testbed.stored()?.['access_token']).not.toBe(first);
    expect([listChanges(gateway), stateLines(gateway)]).toEqual(before);
    expect(testbed.browsers()).toBe(1);
    await testbed.expectNoSecretSaid();
  });

  test('is refreshed too if it was revoked', async () => {
    const testbed = await newTestbed();
    await testbed.login();
    const gateway = await testbed.openGateway();
    expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
    testbed.authorizationServer.forgetAccessTokens();
    expect(textOf(await gateway.call('notes__echo', { text: 'again' }))).toBe('again');
    expect([testbed.authorizationServer.requests['token:refresh_token'], testbed.browsers()]).toEqual([1, 1]);
    await testbed.expectNoSecretSaid();
  });

  verifies(
    'auth:flow:required',
    'and cannot be refreshed ends the sign-in: every call reports it, after one attempt and with one message',
    async () => {
      const testbed = await newTestbed();
      await testbed.login();
      const gateway = await testbed.openGateway();
      expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
      testbed.authorizationServer.forgetAccessTokens();
      testbed.authorizationServer.forgetRefreshTokens();
      const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.call('notes__whoami')));
      expect(answers.map(textOf).filter((words) => !NEEDED.test(words))).toEqual([]);
      expect(textOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
      expect(await stateOf(gateway)).toBe('auth_required');
      expect(testbed.authorizationServer.requests['token:refresh_token:failed']).toBe(1);
      const reported = () => stateLines(gateway).filter((line) => line.includes('auth_required'));
      await expect.poll(reported).toEqual([expect.stringMatching(/Run: switchboard mcp login notes$/)]);
      expect(testbed.browsers()).toBe(1);

      await testbed.login();
      await expect.poll(async () => textOf(await gateway.call('notes__whoami')), { timeout: 30_000 }).toBe('alice');
      await testbed.expectNoSecretSaid();
    },
  );
});

test('a server that accepts no token causes two refreshes, for any number of calls and gateways', async () => {
  const testbed = await newTestbed({ server: { takesNothing: true } });
  await testbed.login();
  const gateway = await testbed.openGateway();
  for (let count = 0; count < 4; count++) expect(textOf(await gateway.call('notes__whoami'))).toMatch(NEEDED);
  const other = await testbed.openGateway();
  const words = textOf(await other.call('notes__whoami'));
  expect(words).toMatch(NEEDED);
  expect(words).toContain('it rejects the tokens that its authorization server 127.0.0.1:');
  expect([await stateOf(gateway), await stateOf(other)]).toEqual(['auth_required', 'auth_required']);
  expect(testbed.authorizationServer.requests['token:refresh_token']).toBe(2);
  await testbed.expectNoSecretSaid();
});

test('two ids on one URL are two accounts in one gateway', async () => {
  const testbed = await newTestbed({}, (url) => ({ other: { transport: 'http', url } }));
  await testbed.login('notes');
  testbed.authorizationServer.signInAs('bob');
  await testbed.login('other');
  const gateway = await testbed.openGateway();
  const calls = ['notes__whoami', 'other__whoami', 'other__whoami', 'notes__whoami'].map((name) => gateway.call(name));
  expect((await Promise.all(calls)).map(textOf)).toEqual(['alice', 'bob', 'bob', 'alice']);
  expect((await testbed.run('mcp', 'logout', 'other')).status).toBe(0);
  await expect
    .poll(async () => textOf(await gateway.call('other__whoami')), { timeout: 30_000 })
    .toMatch(/Run: switchboard mcp login other$/);
  expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
  await testbed.expectNoSecretSaid();
});

test('a tool that needs more scopes names the login command, and works after it', async () => {
  const testbed = await newTestbed();
  await testbed.login('notes', '--scopes', 'mcp:read');
  const gateway = await testbed.openGateway();
  const refused = textOf(await gateway.call('notes__needs-scope'));
  expect(refused).toMatch(/^1003 notes \(.*Run: switchboard mcp login notes --scopes mcp:read,mcp:write$/);
  // The other tools of the server keep working.
  expect([textOf(await gateway.call('notes__whoami')), await stateOf(gateway)]).toEqual(['alice', 'ready']);
  await testbed.login('notes', ...(refused.split('mcp login notes ')[1] ?? '').split(' '));
  await expect.poll(async () => textOf(await gateway.call('notes__needs-scope')), { timeout: 30_000 }).toBe('written');
  expect(textOf(await gateway.call('notes__whoami'))).toBe('alice');
  await testbed.expectNoSecretSaid();
});

describe('four gateways with eight calls each', () => {
  verifies(
    'auth:store:refresh',
    'on an expired token: all calls succeed, after one refresh and without a browser',
    async () => {
      const testbed = await newTestbed();
      await testbed.login();
      const before = { ...testbed.authorizationServer.requests };
      testbed.authorizationServer.forgetAccessTokens();
      testbed.store.update('notes', (record) => record && { ...record, expiresAt: Date.now() - 1_000 });
      const gateways = [1, 2, 3, 4].map(() => testbed.startGateway());
      // The calls are pending before the first connection exists.
      for (const gateway of gateways) gateway.send(HELLO);
      expect(await callAll(gateways)).toEqual(Array(32).fill('alice'));
      expect(testbed.authorizationServer.requests).toEqual({ ...before, 'token:refresh_token': 1 });
      expect(testbed.browsers()).toBe(1);
      await testbed.expectNoSecretSaid();
    },
  );

  test('with a token rejected in between: all are answered, after one refresh and no browser', async () => {
    const testbed = await newTestbed();
    await testbed.login();
    const gateways = await Promise.all([1, 2, 3, 4].map(() => testbed.openGateway()));
    expect(await callAll(gateways)).toEqual(Array(32).fill('alice'));
    const before = { ...testbed.authorizationServer.requests };
    testbed.authorizationServer.forgetAccessTokens();
    expect(await callAll(gateways)).toEqual(Array(32).fill('alice'));
    expect(testbed.authorizationServer.requests).toEqual({ ...before, 'token:refresh_token': 1 });
    expect(testbed.browsers()).toBe(1);
    await testbed.expectNoSecretSaid();
  });
});

const HELLO = {
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

async function callAll(gateways: readonly CliProcess[]): Promise<readonly string[]> {
  const calls = gateways.flatMap((gateway) => Array.from({ length: 8 }, () => gateway.call('notes__whoami')));
  return (await Promise.all(calls)).map(textOf);
}

/** Returns the server states that stderr reported. */
function stateLines({ stderr }: CliProcess): readonly string[] {
  return stderr.split('\n').filter((line) => /\b(connecting|ready|auth_required|error)\b/.test(line));
}

async function toolNames(gateway: CliProcess): Promise<readonly string[]> {
  const { result } = await gateway.request('tools/list');
  return result.tools.map(({ name }: { readonly name: string }) => name);
}
