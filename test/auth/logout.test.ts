import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refreshTokens } from '../../src/auth/oauth/token-requests.ts';
import { endSignIns } from '../../src/cli/connect/end-sign-ins.ts';
import { mcpLogout } from '../../src/cli/mcp/login/logout.ts';
import { ID, refusalOf, secretsIn, type Testbed, useTestbeds } from './login-harness.ts';
import { runCommand, writeConfig } from './run-login-command.ts';

const newTestbed = useTestbeds();

describe('switchboard mcp logout', () => {
  test('deletes the sign-in and revokes its tokens', async () => {
    const testbed = await newSignedInTestbed();
    const secrets = secretsIn(testbed.stored());
    const token = String(testbed.stored()?.['access_token']);
    const ended = await logout(testbed, [ID]);
    expect(ended).toEqual({ status: 0, stdout: 'Signed out of notes. Its tokens were revoked.', stderr: '' });
    expect([testbed.stored(), await testbed.authorizationServer.findToken(token)]).toEqual([undefined, undefined]);
    expect(testbed.authorizationServer.requests['revocation']).toBe(2);
    expect(secrets).toHaveLength(2);
    expect(readFileSync(join(testbed.folder, 'mcp-auth.json'), 'utf8')).toBe(
      '{\n  "version": 1,\n  "servers": {}\n}\n',
    );
    expect(await logout(testbed, [ID])).toEqual({ status: 0, stdout: 'You were not signed in to notes.', stderr: '' });
  });

  test.each([
    ['is down', (testbed: Testbed) => testbed.authorizationServer.setDown(true)],
    ['no longer exists', (testbed: Testbed) => testbed.authorizationServer.close()],
  ])('deletes it even if the authorization server %s', async (_, happens) => {
    const testbed = await newSignedInTestbed();
    await happens(testbed);
    const ended = await logout(testbed, [ID, '--json']);
    expect([ended.status, JSON.parse(ended.stdout), ended.stderr]).toEqual([
      0,
      { v: 1, server: 'notes', wasSignedIn: true, revoked: false },
      '',
    ]);
    expect(testbed.stored()).toBeUndefined();
  });

  test('reports if only the refresh token could be revoked', async () => {
    const testbed = await newSignedInTestbed({ authorizationServer: { refusesToRevoke: 'access_token' } });
    const refreshes = refreshing(testbed);
    expect((await logout(testbed, [ID])).stdout).toBe(
      'Signed out of notes. Its refresh token was revoked; its access token could not be revoked and stays valid until it expires.',
    );
    expect(await refusalOf(refreshes())).toMatchObject({ code: 'SIGN_IN_NEEDED' });
  });

  test('reports if only the access token could be revoked', async () => {
    const testbed = await newSignedInTestbed({ authorizationServer: { refusesToRevoke: 'refresh_token' } });
    const token = String(testbed.stored()?.['access_token']);
    const ended = await logout(testbed, [ID, '--json']);
    expect(JSON.parse(ended.stdout)).toEqual({
      ...{ v: 1, server: 'notes', wasSignedIn: true, revoked: false },
      revokedTokens: ['access_token'],
    });
    expect(await testbed.authorizationServer.findToken(token)).toBeUndefined();
    await testbed.signIn();
    expect((await logout(testbed, [ID])).stdout).toBe(
      'Signed out of notes. Its access token was revoked; its refresh token could not be revoked, and anyone with a copy can still use it.',
    );
  });

  test('reports if tokens cannot be revoked, or should not be', async () => {
    const testbed = await newSignedInTestbed({ authorizationServer: { revocation: false } });
    expect((await logout(testbed, [ID])).stdout).toMatch(/^Signed out of notes\. Its tokens could not be revoked/);
    const other = await newSignedInTestbed();
    const token = String(other.stored()?.['access_token']);
    expect((await logout(other, [ID, '--no-revoke'])).stdout).toBe('Signed out of notes. Its tokens were not revoked.');
    expect([other.stored(), (await other.authorizationServer.findToken(token))?.account]).toEqual([undefined, 'alice']);
  });

  test('ends all sign-ins of an uninstall, and does not wait for a server that does not respond', async () => {
    const testbed = await newSignedInTestbed();
    const token = String(testbed.stored()?.['access_token']);
    await using silent = await openSilentServer();
    await testbed.signIn({ serverId: 'silent' });
    const file = join(testbed.folder, 'mcp-auth.json');
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    const { discovery: _, ...record } = stored.servers.silent;
    stored.servers.silent = { ...record, url: silent.url };
    writeFileSync(file, JSON.stringify(stored));
    const { env } = testbed.testEnvironment;
    const context = { env, cwd: testbed.folder, home: testbed.folder };
    expect(await endSignIns([ID, 'silent'], context)).toEqual({
      texts: [
        'Signed out of notes. Its tokens were revoked.',
        'Warning: the sign-in of silent was removed, but could not be revoked at its server. It stays valid until it expires.',
      ],
      hasPending: true,
    });
    expect([testbed.stored(), await testbed.authorizationServer.findToken(token)]).toEqual([undefined, undefined]);
  });

  test('works for a removed server, another URL, or an invalid config', async () => {
    const testbed = await newSignedInTestbed();
    await testbed.signIn({ serverId: 'removed' });
    await testbed.signIn({ serverId: 'moved' });
    writeConfig(testbed, { moved: { transport: 'http', url: 'https://elsewhere.example/mcp' } });
    expect((await logout(testbed, ['removed'])).stdout).toBe('Signed out of removed. Its tokens were revoked.');
    expect((await logout(testbed, ['moved'])).stdout).toBe('Signed out of moved. Its tokens were revoked.');
    writeFileSync(join(testbed.folder, 'config.json'), '{');
    expect((await logout(testbed, [ID])).stdout).toBe('Signed out of notes. Its tokens were revoked.');
  });

  test('of one account keeps the other', async () => {
    const testbed = await newSignedInTestbed();
    testbed.authorizationServer.signInAs('bob');
    await testbed.signIn({ serverId: 'home' });
    await logout(testbed, [ID]);
    expect(await testbed.call(testbed.credentials({ serverId: 'home' }), 'whoami')).toBe('bob');
    expect(testbed.stored()).toBeUndefined();
  });

  test('without a sign-in writes nothing, and rejects an unknown name with a suggestion', async () => {
    const testbed = await newTestbed();
    writeConfig(testbed);
    const none = { v: 1, server: 'notes', wasSignedIn: false, revoked: false };
    expect(JSON.parse((await logout(testbed, [ID, '--json'])).stdout)).toEqual(none);
    expect(await logout(testbed, ['note'])).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('There is no server note. Did you mean notes?'),
    });
    const json = await logout(testbed, ['note', '--json']);
    expect([json.status, json.stdout, JSON.parse(json.stderr).error]).toMatchObject([
      2,
      '',
      { code: 'USAGE', server: 'note', known: ['notes'] },
    ]);
    expect(existsSync(join(testbed.folder, 'mcp-auth.json'))).toBe(false);
  });

  test('rejects a file of a newer version, and leaves it unchanged', async () => {
    const testbed = await newTestbed();
    const file = join(testbed.folder, 'mcp-auth.json');
    writeFileSync(file, '{"version":2}');
    const ended = await logout(testbed, [ID]);
    expect([ended.status, readFileSync(file, 'utf8')]).toEqual([7, '{"version":2}']);
  });

  test('waits for a running refresh, and revokes its tokens', async () => {
    const testbed = await newSignedInTestbed();
    testbed.store.update(ID, (record) => record && { ...record, expiresAt: 1 });
    let renewed: string | undefined;
    let ended: Promise<unknown> = Promise.resolve();
    const fetch: typeof testbed.fetch = async (url, init) => {
      if (init?.method === 'POST') ended = logout(testbed, [ID]);
      const response = await testbed.fetch(url, init);
      if (init?.method === 'POST') renewed = JSON.parse(await response.clone().text()).access_token;
      return response;
    };
    await testbed.credentials({ fetch }).authorization();
    await ended;
    expect(renewed).toEqual(expect.any(String));
    expect(await testbed.authorizationServer.findToken(String(renewed))).toBeUndefined();
    expect(testbed.stored()).toBeUndefined();
  });
});

async function newSignedInTestbed(options?: Parameters<typeof newTestbed>[0]): Promise<Testbed> {
  const testbed = await newTestbed(options);
  writeConfig(testbed);
  await testbed.signIn();
  return testbed;
}

/** Uses a copy of the refresh token, as an attacker would. */
function refreshing(testbed: Testbed) {
  const record = testbed.store.read(ID, testbed.server.url);
  const { clientId = '', refreshToken = '', resource = '', discovery } = record ?? {};
  if (discovery === undefined) throw new Error('Nobody is signed in.');
  const client = { clientId, clientSecret: undefined, registration: 'dcr', authMethod: 'none' } as const;
  return () =>
    refreshTokens({ server: discovery, client, refreshToken, resource, fetch: testbed.fetch, now: Date.now });
}

function logout(testbed: Testbed, args: readonly string[]) {
  return runCommand(mcpLogout, testbed, args);
}

/** Accepts connections and never answers. */
async function openSilentServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(() => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
