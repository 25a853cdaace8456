import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credentials } from '../../src/auth/credentials/credentials.ts';
import type { GuardedFetch } from '../../src/net/guarded-fetch.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { ID, refusalOf, secretsIn, type Testbed, useTestbeds } from './login-harness.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds();
const root = join(import.meta.dirname, '..', '..');

let folder = '';
let modules = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-modules-'));
  const contents = [
    'auth/store/auth-store',
    'auth/credentials/credentials',
    'auth/credentials/recent-tokens',
    'auth/credentials/sign-in-limit',
    'net/guarded-fetch',
  ]
    .map((name) => `export * from './src/${name}.ts';`)
    .join('\n');
  const common = { bundle: true, format: 'esm', platform: 'node', splitting: true } as const;
  await build({ ...common, stdin: { contents, resolveDir: root }, outdir: folder, outExtension: { '.js': '.mjs' } });
  modules = pathToFileURL(join(folder, 'stdin.mjs')).href;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('four processes with eight users each', () => {
  verifies(
    'auth:store:refresh',
    'refresh an expired token once, and all thirty-two calls succeed',
    async () => {
      const testbed = await newTestbed();
      await testbed.signIn();
      const before = { ...testbed.authorizationServer.requests };
      expire(testbed);
      expect(await runUsers(testbed, 'shared')).toEqual(Array(32).fill('alice'));
      expect(testbed.authorizationServer.requests).toEqual({ ...before, 'token:refresh_token': 1 });
      expect(readdirSync(testbed.folder)).toEqual(['mcp-auth.json']);
    },
    30_000,
  );

  test('replace a rejected token once, even if they share nothing', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const before = { ...testbed.authorizationServer.requests };
    testbed.authorizationServer.forgetAccessTokens();
    expect(await runUsers(testbed, 'apart')).toEqual(Array(32).fill('alice'));
    expect(testbed.authorizationServer.requests).toEqual({ ...before, 'token:refresh_token': 1 });
    expect(readdirSync(testbed.folder)).toEqual(['mcp-auth.json']);
  });

  test('fail with the login command after one attempt if the sign-in has ended', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const secrets = secretsIn(testbed.stored());
    expire(testbed);
    testbed.authorizationServer.forgetRefreshTokens();
    testbed.authorizationServer.forgetAccessTokens();
    const outcomes = await runUsers(testbed, 'apart');
    expect(outcomes.filter((outcome) => !outcome.includes('Run: switchboard mcp login notes'))).toEqual([]);
    expect(testbed.authorizationServer.requests['token:refresh_token:failed']).toBe(1);
    expect(testbed.authorizationServer.requests['registration']).toBe(1);
    for (const secret of secrets) expect(outcomes.join()).not.toContain(secret);
  });
});

test('a process killed during a refresh does not delay the others for long', async () => {
  const testbed = await newTestbed();
  await testbed.signIn();
  expire(testbed);
  const holder = spawn(
    process.execPath,
    [join(import.meta.dirname, 'fixtures', 'hangs-during-refresh.mjs'), modules, testbed.folder],
    {
      env: processes.env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(holder.stdout, 'data');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(readdirSync(testbed.folder)).toContain('.refresh-notes');
  const users = await Promise.all([1, 2].map(() => testbed.call(testbed.credentials(), 'whoami')));
  expect(users).toEqual(['alice', 'alice']);
  expect(testbed.authorizationServer.requests['token:refresh_token']).toBe(1);
  expect(readdirSync(testbed.folder)).toEqual(['mcp-auth.json']);
});

describe('before it expires', () => {
  test('a token is refreshed a minute early, and until then returned without waiting', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const first = `Bearer ${testbed.stored()?.['access_token']}`;
    const expiresAt = Number(testbed.stored()?.['expires_at']);
    let now = expiresAt - 61_000;
    const credentials = testbed.credentials({ now: () => now });
    expect(credentials.authorization()).toBe(first);
    expect(testbed.authorizationServer.requests['token:refresh_token']).toBeUndefined();
    now = expiresAt - 59_000;
    const renewed = await credentials.authorization();
    expect(renewed).toBe(`Bearer ${testbed.stored()?.['access_token']}`);
    expect(renewed).not.toBe(first);
    expect(testbed.authorizationServer.requests['token:refresh_token']).toBe(1);
  });

  test('a token valid for less than a minute is not refreshed at every request', async () => {
    const testbed = await newTestbed({ authorizationServer: { accessTokenSeconds: 30 } });
    await testbed.signIn();
    const credentials = testbed.credentials();
    for (let count = 0; count < 5; count++) expect(await testbed.call(credentials, 'whoami')).toBe('alice');
    expect(testbed.authorizationServer.requests['token:refresh_token']).toBeUndefined();
  });

  test('a token that cannot be refreshed in time is used as long as it is valid', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    testbed.store.update(ID, (record) => record && { ...record, expiresAt: Date.now() + 30_000 });
    testbed.authorizationServer.setDown(true);
    expect(await testbed.credentials().authorization()).toBe(`Bearer ${testbed.stored()?.['access_token']}`);
  });

  test('a token that cannot be refreshed at all is used until it is rejected', async () => {
    const testbed = await newTestbed({ authorizationServer: { refreshTokens: 'never' } });
    await testbed.signIn();
    expire(testbed);
    const credentials = testbed.credentials();
    expect(credentials.authorization()).toBe(`Bearer ${testbed.stored()?.['access_token']}`);
    expect(await testbed.call(credentials, 'whoami')).toBe('alice');
    testbed.authorizationServer.forgetAccessTokens();
    expect((await refusalOf(testbed.call(credentials, 'whoami'))).code).toBe('SIGN_IN_NEEDED');
  });
});

describe('a failed refresh', () => {
  test('without a connection keeps the sign-in, and the next one works', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    expire(testbed);
    const before = secretsIn(testbed.stored());
    testbed.authorizationServer.setDown(true);
    let now = Date.now();
    const credentials = testbed.credentials({ now: () => now });
    const refusal = await refusalOf(Promise.resolve(credentials.authorization()));
    expect(refusal.code).toBe('CONNECTION_CLOSED');
    for (const secret of before) expect(refusal.message).not.toContain(secret);
    expect(secretsIn(testbed.stored())).toEqual(before);
    expect(await refusalOf(Promise.resolve(credentials.authorization()))).toEqual(refusal);
    testbed.authorizationServer.setDown(false);
    now += 1_500;
    expect(await testbed.call(credentials, 'whoami')).toBe('alice');
  });

  test('that is permanent deletes the tokens, keeps the client, and is not repeated', async () => {
    const testbed = await newTestbed();
    const record = await testbed.signIn();
    expire(testbed);
    testbed.authorizationServer.forgetRefreshTokens();
    const credentials = testbed.credentials();
    const { code, message } = await refusalOf(Promise.resolve(credentials.authorization()));
    expect([code, message.includes('the last sign-in has expired or was revoked')]).toEqual(['SIGN_IN_NEEDED', true]);
    const { clientId, issuer } = record;
    const stored = testbed.stored();
    expect(secretsIn(stored)).toEqual([]);
    expect([stored?.['client_id'], stored?.['issuer'], stored?.['scope']]).toEqual([clientId, issuer, undefined]);
    expect(credentials.hasChanged()).toBe(false);
    expect(credentials.authorization()).toBeUndefined();
    const again = await testbed.signIn();
    expect(again.clientId).toBe(clientId);
    expect(credentials.hasChanged()).toBe(true);
    expect(testbed.authorizationServer.requests['registration']).toBe(1);
  });

  test('because the client is unknown deletes it too, and the next sign-in registers a new one', async () => {
    const testbed = await newTestbed();
    const { clientId } = await testbed.signIn();
    expire(testbed);
    testbed.authorizationServer.forgetClients();
    const { code } = await refusalOf(Promise.resolve(testbed.credentials().authorization()));
    expect([code, testbed.stored()?.['client_id']]).toEqual(['SIGN_IN_NEEDED', undefined]);
    expect((await testbed.signIn()).clientId).not.toBe(clientId);
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
  });

  test('does not delete tokens stored meanwhile, and uses them', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    expire(testbed);
    const better = await testbed.signIn({ serverId: 'elsewhere' });
    testbed.authorizationServer.forgetRefreshTokens();
    const fetch = justBefore(testbed, () => testbed.store.update(ID, () => better));
    expect(await testbed.credentials({ fetch }).authorization()).toBe(`Bearer ${better.accessToken}`);
    expect(testbed.stored()?.['refresh_token']).toBe(better.refreshToken);
    expect(testbed.authorizationServer.requests['token:refresh_token:failed']).toBe(1);
  });

  test('or a successful one restores nothing after a sign-out', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    expire(testbed);
    const fetch = justBefore(testbed, () => testbed.store.update(ID, () => undefined));
    expect(await testbed.credentials({ fetch }).authorization()).toBeUndefined();
    expect(testbed.stored()).toBeUndefined();
  });

  test('for a server that rejects every token is not repeated, for all connections and processes', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    let now = Date.now();
    const credentials = testbed.credentials({ now: () => now });
    const outcomes: unknown[] = [];
    for (let count = 0; count < 4; count++) outcomes.push(await refuse(credentials));
    const other = testbed.credentials({ store: testbed.openStore(), now: () => now });
    outcomes.push(await refuse(other));
    const [server, issuer] = [testbed.server.url, testbed.authorizationServer.issuer].map((url) => new URL(url).host);
    const why = `it rejects the tokens that its authorization server ${issuer} just issued`;
    const advice = 'if signing in again does not help, contact its operator';
    const message = `notes (${server}) needs you to sign in: ${why} (${advice}). Run: switchboard mcp login notes`;
    const verdict = { code: 'SIGN_IN_NEEDED', message };
    expect(outcomes).toEqual([undefined, undefined, verdict, verdict, verdict]);
    expect(testbed.authorizationServer.requests['token:refresh_token']).toBe(2);
    expect(secretsIn(testbed.stored())).toHaveLength(2);
    expect([credentials.hasChanged(), other.hasChanged()]).toEqual([false, false]);
    now += 6 * 60_000;
    expect([credentials.hasChanged(), await refuse(other)]).toEqual([true, undefined]);
  });

  test('for such a server is tried again after a new sign-in', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const credentials = testbed.credentials();
    for (let count = 0; count < 2; count++) expect(await refuse(credentials)).toBeUndefined();
    expect(await refuse(credentials)).toMatchObject({ code: 'SIGN_IN_NEEDED' });
    await testbed.signIn();
    expect(credentials.hasChanged()).toBe(true);
    const next = testbed.credentials();
    expect(await testbed.call(next, 'whoami')).toBe('alice');
    expect([await refuse(next), await refuse(next)]).toEqual([undefined, undefined]);
  });
});

/** The error that the caller of a rejected request gets; undefined if the request is to be sent again. */
async function refuse(credentials: Credentials): Promise<unknown> {
  const sent = await credentials.authorization();
  const refusal = credentials.handleRejection({ status: 401, challenge: undefined, sent });
  return refusal.catch(({ code, message }) => ({ code, message }));
}

verifies('auth:discovery:explicit', 'uses the URLs from the config for everything, without discovery', async () => {
  const testbed = await newTestbed();
  const { issuer } = testbed.authorizationServer;
  const settings = {
    authorizationUrl: `${issuer}/auth`,
    tokenUrl: `${issuer}/token`,
    registrationUrl: `${issuer}/reg`,
    clientId: undefined,
    clientSecret: undefined,
    clientSecretEnv: undefined,
    scope: 'mcp:read',
  };
  await testbed.signIn({ settings });
  expire(testbed);
  expect(await testbed.call(testbed.credentials({ settings }), 'whoami')).toBe('alice');
  expect(testbed.authorizationServer.requests).toEqual({
    visit: 1,
    registration: 1,
    authorization: expect.any(Number),
    resume: expect.any(Number),
    'token:authorization_code': 1,
    'token:refresh_token': 1,
  });
  const elsewhere = { ...settings, tokenUrl: 'https://other.example/token' };
  expire(testbed);
  const { code, message } = await refusalOf(
    Promise.resolve(testbed.credentials({ settings: elsewhere }).authorization()),
  );
  expect([code, message.includes('its authorization server has changed')]).toEqual(['SIGN_IN_NEEDED', true]);
});

describe('another authorization server', () => {
  test.each([
    ['while the old one is up', false],
    ['while the old one is down', true],
  ])('%s never receives the credentials of the old one', async (_, isDown) => {
    const testbed = await newTestbed();
    const old = await testbed.signIn();
    const next = await testbed.openAuthorizationServer();
    testbed.server.moveTo(next);
    testbed.authorizationServer.setDown(isDown);
    const sent: string[] = [];
    const fetch: GuardedFetch = (url, init) => {
      if (url.startsWith(next.issuer)) sent.push(`${url} ${JSON.stringify(init ?? {})}`);
      return testbed.fetch(url, init);
    };
    const { code, message } = await refusalOf(testbed.call(testbed.credentials({ fetch }), 'whoami'));
    expect([code, message.includes('its authorization server has changed')]).toEqual(['SIGN_IN_NEEDED', true]);
    expect(testbed.stored()).toEqual(expect.not.objectContaining({ client_id: expect.anything() }));
    expect(secretsIn(testbed.stored())).toEqual([]);
    const again = await testbed.signIn({ fetch });
    expect([again.issuer, again.clientId === old.clientId]).toEqual([next.issuer, false]);
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
    const theirs = [old.accessToken, old.refreshToken, old.clientId].map(String);
    expect(theirs.filter((secret) => sent.join('\n').includes(secret))).toEqual([]);
    expect(sent.length).toBeGreaterThan(2);
  });

  test('does not replace the old one in an unfinished sign-in', async () => {
    const testbed = await newTestbed();
    const old = await testbed.signIn();
    const next = await testbed.openAuthorizationServer();
    testbed.server.moveTo(next);
    const stop = new AbortController();
    const cancelled = testbed.signIn({ signal: stop.signal, show: () => stop.abort() });
    expect((await refusalOf(cancelled)).code).toBe('CANCELLED');
    expect([
      testbed.stored()?.['client_id'],
      testbed.stored()?.['refresh_token'],
      testbed.stored()?.['issuer'],
    ]).toEqual([old.clientId, old.refreshToken, testbed.authorizationServer.issuer]);
  });
});

function expire(testbed: Testbed): void {
  testbed.store.update(ID, (record) => record && { ...record, expiresAt: Date.now() - 1000 });
}

/** Runs a hook just before the token request. */
function justBefore({ fetch }: Testbed, happens: () => void): GuardedFetch {
  return (url, init) => {
    if (init?.method === 'POST') happens();
    return fetch(url, init);
  };
}

async function runUsers(testbed: Testbed, sharing: 'shared' | 'apart'): Promise<string[]> {
  const program = join(import.meta.dirname, 'fixtures', 'refresh-users.mjs');
  const args = [program, modules, testbed.folder, testbed.server.url, '8', sharing];
  const started = Array.from({ length: 4 }, () =>
    spawn(process.execPath, args, { env: processes.env(), stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  await Promise.all(started.map(({ stdout }) => once(stdout, 'data')));
  for (const { stdin } of started) stdin.write('go\n');
  const outputs = await Promise.all(started.map(({ stdout }) => text(stdout)));
  return outputs.flatMap((output) => JSON.parse(output));
}
