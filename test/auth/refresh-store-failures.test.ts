import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { GuardedFetch } from '../../src/net/guarded-fetch.ts';
import { ID, refusalOf, useWorlds, type World } from './login-harness.ts';

const newWorld = useWorlds();

describe('a refresh that cannot be stored', () => {
  test('is not requested, because a refresh token is valid once; it works when writing is possible again', async () => {
    const world = await expiredWorld();
    forbidWriting(world);
    const { code, message } = await refusalOf(Promise.resolve(world.credentials().authorization()));
    expect([code, message]).toEqual([
      'CONFIG_INVALID',
      `${join(world.folder, 'mcp-auth.json')}: The sign-in cannot be stored: ENAMETOOLONG.`,
    ]);
    expect(refreshesOf(world)).toEqual([undefined, undefined]);
    allowWriting(world);
    expect(await world.call(world.credentials(), 'whoami')).toBe('alice');
    expect(refreshesOf(world)).toEqual([1, undefined]);
  });

  test('is not requested, and a token that is still valid is used', async () => {
    const world = await newWorld();
    await world.signIn();
    world.store.update(ID, (record) => record && { ...record, expiresAt: Date.now() + 30_000 });
    forbidWriting(world);
    expect(await world.call(world.credentials(), 'whoami')).toBe('alice');
    expect(refreshesOf(world)).toEqual([undefined, undefined]);
  });

  test('despite the check is used by this process, and stored as soon as possible', async () => {
    const world = await expiredWorld();
    const used = world.stored()?.['refresh_token'];
    let now = Date.now();
    const credentials = world.credentials({ fetch: justAfter(world, () => forbidWriting(world)), now: () => now });
    const bearer = await credentials.authorization();
    expect(await world.call(credentials, 'whoami')).toBe('alice');
    expect(await world.call(world.credentials(), 'whoami')).toBe('alice');
    expect([world.stored()?.['refresh_token'], refreshesOf(world)]).toEqual([used, [1, undefined]]);
    allowWriting(world);
    now += 5_000;
    expect(await credentials.authorization()).toBe(bearer);
    await expect.poll(() => `Bearer ${world.stored()?.['access_token']}`).toBe(bearer);
    expect(world.stored()?.['refresh_token']).not.toBe(used);
    expect(await world.call(world.credentials({ store: world.openStore() }), 'whoami')).toBe('alice');
    expect(refreshesOf(world)).toEqual([1, undefined]);
  });

  test('never uses an already used refresh token', async () => {
    const world = await expiredWorld();
    const credentials = world.credentials({ fetch: justAfter(world, () => forbidWriting(world)) });
    expect(await world.call(credentials, 'whoami')).toBe('alice');
    world.authorizationServer.forgetAccessTokens();
    expect((await refusalOf(world.call(world.credentials(), 'whoami'))).code).toBe('CONFIG_INVALID');
    expect(refreshesOf(world)).toEqual([1, undefined]);
    allowWriting(world);
    expect(await world.call(world.credentials(), 'whoami')).toBe('alice');
    expect(refreshesOf(world)).toEqual([2, undefined]);
  });

  test('does not overwrite a new sign-in or undo a sign-out', async () => {
    const world = await expiredWorld();
    const credentials = world.credentials({ fetch: justAfter(world, () => forbidWriting(world)) });
    await credentials.authorization();
    allowWriting(world);
    const better = await world.signIn({ store: world.openStore() });
    expect(await world.credentials().authorization()).toBe(`Bearer ${better.accessToken}`);
    await world.store.flushUnsaved(ID);
    expect(world.stored()?.['refresh_token']).toBe(better.refreshToken);
    world.openStore().update(ID, () => undefined);
    expect(world.credentials().authorization()).toBeUndefined();
  });
});

test('a lock left by a killed process does not block the event loop', async () => {
  const world = await expiredWorld();
  writeFileSync(join(world.folder, 'mcp-auth.json.lock'), 'left by somebody');
  let isDone = false;
  const calling = world.call(world.credentials(), 'whoami').finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await delay(5);
  expect(await calling).toBe('alice');
  // Of about four hundred, or fewer on a busy machine. A few happen before it finds the lock.
  expect(turns).toBeGreaterThan(20);
  expect(readdirSync(world.folder)).toEqual(['mcp-auth.json']);
});

async function expiredWorld(): Promise<World> {
  const world = await newWorld();
  await world.signIn();
  world.store.update(ID, (record) => record && { ...record, expiresAt: Date.now() - 1000 });
  return world;
}

/** The refreshes that the authorization server accepted and refused. */
function refreshesOf({ authorizationServer: { requests } }: World): readonly unknown[] {
  return [requests['token:refresh_token'], requests['token:refresh_token:failed']];
}

/** Next to a file with a name of this length, no file with a longer name can be created. */
const LONG_NAME = 'x'.repeat(250);

function forbidWriting({ folder }: World): void {
  renameSync(join(folder, 'mcp-auth.json'), join(folder, LONG_NAME));
  symlinkSync(LONG_NAME, join(folder, 'mcp-auth.json'));
  expect(readFileSync(join(folder, 'mcp-auth.json'), 'utf8')).toContain(ID);
}

function allowWriting({ folder }: World): void {
  rmSync(join(folder, 'mcp-auth.json'));
  renameSync(join(folder, LONG_NAME), join(folder, 'mcp-auth.json'));
}

/** Runs a hook after tokens were issued and before the client receives them. */
function justAfter({ fetch }: World, happens: () => void): GuardedFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method === 'POST') happens();
    return response;
  };
}
