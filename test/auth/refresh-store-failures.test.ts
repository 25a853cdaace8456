import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { GuardedFetch } from '../../src/net/guarded-fetch.ts';
import { ID, refusalOf, type Testbed, useTestbeds } from './login-harness.ts';

const newTestbed = useTestbeds();

describe('a refresh that cannot be stored', () => {
  test('is not requested, because a refresh token is valid once; it works when writing is possible again', async () => {
    const testbed = await expiredTestbed();
    forbidWriting(testbed);
    const { code, message } = await refusalOf(Promise.resolve(testbed.credentials().authorization()));
    expect([code, message]).toEqual([
      'CONFIG_INVALID',
      `${join(testbed.folder, 'mcp-auth.json')}: The sign-in cannot be stored: ENAMETOOLONG.`,
    ]);
    expect(refreshesOf(testbed)).toEqual([undefined, undefined]);
    allowWriting(testbed);
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
    expect(refreshesOf(testbed)).toEqual([1, undefined]);
  });

  test('is not requested, and a token that is still valid is used', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    testbed.store.update(ID, (record) => record && { ...record, expiresAt: Date.now() + 30_000 });
    forbidWriting(testbed);
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
    expect(refreshesOf(testbed)).toEqual([undefined, undefined]);
  });

  test('despite the check is used by this process, and stored as soon as possible', async () => {
    const testbed = await expiredTestbed();
    const used = testbed.stored()?.['refresh_token'];
    let now = Date.now();
    const credentials = testbed.credentials({
      fetch: justAfter(testbed, () => forbidWriting(testbed)),
      now: () => now,
    });
    const bearer = await credentials.authorization();
    expect(await testbed.call(credentials, 'whoami')).toBe('alice');
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
    expect([testbed.stored()?.['refresh_token'], refreshesOf(testbed)]).toEqual([used, [1, undefined]]);
    allowWriting(testbed);
    now += 5_000;
    expect(await credentials.authorization()).toBe(bearer);
    await expect.poll(() => `Bearer ${testbed.stored()?.['access_token']}`).toBe(bearer);
    expect(testbed.stored()?.['refresh_token']).not.toBe(used);
    expect(await testbed.call(testbed.credentials({ store: testbed.openStore() }), 'whoami')).toBe('alice');
    expect(refreshesOf(testbed)).toEqual([1, undefined]);
  });

  test('never uses an already used refresh token', async () => {
    const testbed = await expiredTestbed();
    const credentials = testbed.credentials({ fetch: justAfter(testbed, () => forbidWriting(testbed)) });
    expect(await testbed.call(credentials, 'whoami')).toBe('alice');
    testbed.authorizationServer.forgetAccessTokens();
    expect((await refusalOf(testbed.call(testbed.credentials(), 'whoami'))).code).toBe('CONFIG_INVALID');
    expect(refreshesOf(testbed)).toEqual([1, undefined]);
    allowWriting(testbed);
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
    expect(refreshesOf(testbed)).toEqual([2, undefined]);
  });

  test('does not overwrite a new sign-in or undo a sign-out', async () => {
    const testbed = await expiredTestbed();
    const credentials = testbed.credentials({ fetch: justAfter(testbed, () => forbidWriting(testbed)) });
    await credentials.authorization();
    allowWriting(testbed);
    const better = await testbed.signIn({ store: testbed.openStore() });
    expect(await testbed.credentials().authorization()).toBe(`Bearer ${better.accessToken}`);
    await testbed.store.flushUnsaved(ID);
    expect(testbed.stored()?.['refresh_token']).toBe(better.refreshToken);
    testbed.openStore().update(ID, () => undefined);
    expect(testbed.credentials().authorization()).toBeUndefined();
  });
});

test('a lock left by a killed process does not block the event loop', async () => {
  const testbed = await expiredTestbed();
  writeFileSync(join(testbed.folder, 'mcp-auth.json.lock'), 'left by somebody');
  let isDone = false;
  const calling = testbed.call(testbed.credentials(), 'whoami').finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await delay(5);
  expect(await calling).toBe('alice');
  // Of about four hundred, or fewer on a busy machine. A few happen before it finds the lock.
  expect(turns).toBeGreaterThan(20);
  expect(readdirSync(testbed.folder)).toEqual(['mcp-auth.json']);
});

async function expiredTestbed(): Promise<Testbed> {
  const testbed = await newTestbed();
  await testbed.signIn();
  testbed.store.update(ID, (record) => record && { ...record, expiresAt: Date.now() - 1000 });
  return testbed;
}

/** The refreshes that the authorization server accepted and refused. */
function refreshesOf({ authorizationServer: { requests } }: Testbed): readonly unknown[] {
  return [requests['token:refresh_token'], requests['token:refresh_token:failed']];
}

/** Next to a file with a name of this length, no file with a longer name can be created. */
const LONG_NAME = 'x'.repeat(250);

function forbidWriting({ folder }: Testbed): void {
  renameSync(join(folder, 'mcp-auth.json'), join(folder, LONG_NAME));
  symlinkSync(LONG_NAME, join(folder, 'mcp-auth.json'));
  expect(readFileSync(join(folder, 'mcp-auth.json'), 'utf8')).toContain(ID);
}

function allowWriting({ folder }: Testbed): void {
  rmSync(join(folder, 'mcp-auth.json'));
  renameSync(join(folder, LONG_NAME), join(folder, 'mcp-auth.json'));
}

/** Runs a hook after tokens were issued and before the client receives them. */
function justAfter({ fetch }: Testbed, happens: () => void): GuardedFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method === 'POST') happens();
    return response;
  };
}
