import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refreshTokens } from '../../src/auth/oauth/token-requests.ts';
import { mcpLogout } from '../../src/cli/mcp/login/logout.ts';
import { ID, refusalOf, secretsIn, useWorlds, type World } from './login-harness.ts';
import { runCommand, writeConfig } from './run-login-command.ts';

const newWorld = useWorlds();

describe('switchboard mcp logout', () => {
  test('deletes the sign-in and revokes its tokens', async () => {
    const world = await newSignedInWorld();
    const secrets = secretsIn(world.stored());
    const token = String(world.stored()?.['access_token']);
    const ended = await logout(world, [ID]);
    expect(ended).toEqual({ status: 0, stdout: 'Signed out of notes. Its tokens were revoked.', stderr: '' });
    expect([world.stored(), await world.authorizationServer.findToken(token)]).toEqual([undefined, undefined]);
    expect(world.authorizationServer.requests['revocation']).toBe(2);
    expect(secrets).toHaveLength(2);
    expect(readFileSync(join(world.folder, 'mcp-auth.json'), 'utf8')).toBe('{\n  "version": 1,\n  "servers": {}\n}\n');
    expect(await logout(world, [ID])).toEqual({ status: 0, stdout: 'You were not signed in to notes.', stderr: '' });
  });

  test.each([
    ['is down', (world: World) => world.authorizationServer.setDown(true)],
    ['no longer exists', (world: World) => world.authorizationServer.close()],
  ])('deletes it even if the authorization server %s', async (_, happens) => {
    const world = await newSignedInWorld();
    await happens(world);
    const ended = await logout(world, [ID, '--json']);
    expect([ended.status, JSON.parse(ended.stdout), ended.stderr]).toEqual([
      0,
      { v: 1, server: 'notes', wasSignedIn: true, revoked: false },
      '',
    ]);
    expect(world.stored()).toBeUndefined();
  });

  test('reports if only the refresh token could be revoked', async () => {
    const world = await newSignedInWorld({ authorizationServer: { refusesToRevoke: 'access_token' } });
    const refreshes = refreshing(world);
    expect((await logout(world, [ID])).stdout).toBe(
      'Signed out of notes. Its refresh token was revoked; its access token could not be revoked and stays valid until it expires.',
    );
    expect(await refusalOf(refreshes())).toMatchObject({ code: 'SIGN_IN_NEEDED' });
  });

  test('reports if only the access token could be revoked', async () => {
    const world = await newSignedInWorld({ authorizationServer: { refusesToRevoke: 'refresh_token' } });
    const token = String(world.stored()?.['access_token']);
    const ended = await logout(world, [ID, '--json']);
    expect(JSON.parse(ended.stdout)).toEqual({
      ...{ v: 1, server: 'notes', wasSignedIn: true, revoked: false },
      revokedTokens: ['access_token'],
    });
    expect(await world.authorizationServer.findToken(token)).toBeUndefined();
    await world.signIn();
    expect((await logout(world, [ID])).stdout).toBe(
      'Signed out of notes. Its access token was revoked; its refresh token could not be revoked, and anyone with a copy can still use it.',
    );
  });

  test('reports if tokens cannot be revoked, or should not be', async () => {
    const world = await newSignedInWorld({ authorizationServer: { revocation: false } });
    expect((await logout(world, [ID])).stdout).toMatch(/^Signed out of notes\. Its tokens could not be revoked/);
    const other = await newSignedInWorld();
    const token = String(other.stored()?.['access_token']);
    expect((await logout(other, [ID, '--no-revoke'])).stdout).toBe('Signed out of notes. Its tokens were not revoked.');
    expect([other.stored(), (await other.authorizationServer.findToken(token))?.account]).toEqual([undefined, 'alice']);
  });

  test('works for a removed server, another URL, or an invalid config', async () => {
    const world = await newSignedInWorld();
    await world.signIn({ serverId: 'removed' });
    await world.signIn({ serverId: 'moved' });
    writeConfig(world, { moved: { transport: 'http', url: 'https://elsewhere.example/mcp' } });
    expect((await logout(world, ['removed'])).stdout).toBe('Signed out of removed. Its tokens were revoked.');
    expect((await logout(world, ['moved'])).stdout).toBe('Signed out of moved. Its tokens were revoked.');
    writeFileSync(join(world.folder, 'config.json'), '{');
    expect((await logout(world, [ID])).stdout).toBe('Signed out of notes. Its tokens were revoked.');
  });

  test('of one account keeps the other', async () => {
    const world = await newSignedInWorld();
    world.authorizationServer.signInAs('bob');
    await world.signIn({ serverId: 'home' });
    await logout(world, [ID]);
    expect(await world.call(world.credentials({ serverId: 'home' }), 'whoami')).toBe('bob');
    expect(world.stored()).toBeUndefined();
  });

  test('without a sign-in writes nothing, and rejects an unknown name with a suggestion', async () => {
    const world = await newWorld();
    writeConfig(world);
    const none = { v: 1, server: 'notes', wasSignedIn: false, revoked: false };
    expect(JSON.parse((await logout(world, [ID, '--json'])).stdout)).toEqual(none);
    expect(await logout(world, ['note'])).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('There is no server note. Did you mean notes?'),
    });
    const json = await logout(world, ['note', '--json']);
    expect([json.status, json.stdout, JSON.parse(json.stderr).error]).toMatchObject([
      2,
      '',
      { code: 'USAGE', server: 'note', known: ['notes'] },
    ]);
    expect(existsSync(join(world.folder, 'mcp-auth.json'))).toBe(false);
  });

  test('rejects a file of a newer version, and leaves it unchanged', async () => {
    const world = await newWorld();
    const file = join(world.folder, 'mcp-auth.json');
    writeFileSync(file, '{"version":2}');
    const ended = await logout(world, [ID]);
    expect([ended.status, readFileSync(file, 'utf8')]).toEqual([7, '{"version":2}']);
  });

  test('waits for a running refresh, and revokes its tokens', async () => {
    const world = await newSignedInWorld();
    world.store.update(ID, (record) => record && { ...record, expiresAt: 1 });
    let renewed: string | undefined;
    let ended: Promise<unknown> = Promise.resolve();
    const fetch: typeof world.fetch = async (url, init) => {
      if (init?.method === 'POST') ended = logout(world, [ID]);
      const response = await world.fetch(url, init);
      if (init?.method === 'POST') renewed = JSON.parse(await response.clone().text()).access_token;
      return response;
    };
    await world.credentials({ fetch }).authorization();
    await ended;
    expect(renewed).toEqual(expect.any(String));
    expect(await world.authorizationServer.findToken(String(renewed))).toBeUndefined();
    expect(world.stored()).toBeUndefined();
  });
});

async function newSignedInWorld(options?: Parameters<typeof newWorld>[0]): Promise<World> {
  const world = await newWorld(options);
  writeConfig(world);
  await world.signIn();
  return world;
}

/** Uses a copy of the refresh token, as an attacker would. */
function refreshing(world: World) {
  const record = world.store.read(ID, world.server.url);
  const { clientId = '', refreshToken = '', resource = '', discovery } = record ?? {};
  if (discovery === undefined) throw new Error('Nobody is signed in.');
  const client = { clientId, clientSecret: undefined, registration: 'dcr', authMethod: 'none' } as const;
  return () => refreshTokens({ server: discovery, client, refreshToken, resource, fetch: world.fetch, now: Date.now });
}

function logout(world: World, args: readonly string[]) {
  return runCommand(mcpLogout, world, args);
}
