import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { SignInAnswer, SignInRequest } from '../../src/host/index.ts';
import { browse, secretsIn, useTestbeds } from '../auth/login-harness.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, WITHIN } from './host-harness.ts';

/** A real authorization server, and a server that accepts only its tokens. */
const { openHost, processes } = hostHarness();
const newTestbed = useTestbeds();

describe('a server that requires a sign-in', () => {
  verifies('auth:flow:who-starts', 'asks the application, with the server, issuer, scopes and URL', async () => {
    const testbed = await newTestbed({ server: { challengeScope: 'mcp:read' } });
    const asked: SignInRequest[] = [];
    const host = await open(testbed, async (request) => {
      asked.push(request);
      await browse(request.authorizationUrl);
      return true;
    });
    expect(await call(host, 'notes', 'whoami')).toMatchObject({ is_error: false, text: 'alice' });
    expect(asked).toEqual([
      {
        server: 'notes',
        url: testbed.server.url,
        issuer: testbed.authorizationServer.issuer,
        // The last one is needed to refresh the token without a person.
        scopes: ['mcp:read', 'offline_access'],
        authorizationUrl: expect.stringContaining(`${testbed.authorizationServer.issuer}/auth?`),
        signal: expect.any(AbortSignal),
      },
    ]);
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(host.list()).toMatchObject([{ id: 'notes', state: 'ready' }]);
  });

  verifies('auth:store:kept', 'asks only once: the next host uses the stored sign-in', async () => {
    const testbed = await newTestbed();
    const env = processes.env({ SWITCHBOARD_HOME: testbed.folder });
    let asked = 0;
    const signIn = async ({ authorizationUrl }: SignInRequest) => {
      asked++;
      await browse(authorizationUrl);
      return undefined;
    };
    const config = configOf({ notes: { url: testbed.server.url } });
    const first = await openHost({ config, env, signIn });
    expect(await call(first, 'notes', 'whoami')).toMatchObject({ text: 'alice' });
    const second = await openHost({ config, env, signIn: () => expect.fail('nobody should be asked') });
    expect(await call(second, 'notes', 'whoami')).toMatchObject({ text: 'alice' });
    expect(asked).toBe(1);
  });

  test('accepts the redirect URL of a browser on another machine', async () => {
    const testbed = await newTestbed();
    const host = await open(
      testbed,
      async ({ authorizationUrl }) => (await testbed.authorizationServer.followRedirects(authorizationUrl)).href,
    );
    expect(await call(host, 'notes', 'whoami')).toMatchObject({ is_error: false, text: 'alice' });
  });

  verifies('auth:flow:required', 'is auth_required after a refusal, and does not ask again', async () => {
    const testbed = await newTestbed();
    let asked = 0;
    const host = await open(testbed, () => {
      asked++;
      return false;
    });
    await expect.poll(() => host.list()[0]?.note, WITHIN).toMatch(/the sign-in was declined/);
    expect(host.list()).toMatchObject([{ state: 'auth_required', next: expect.stringContaining('mcp login notes') }]);
    const seen = testbed.server.seen.length;
    await host.tools();
    await host.tools();
    expect(host.list()).toMatchObject([{ state: 'auth_required' }]);
    expect({ asked, seen: testbed.server.seen.length }).toEqual({ asked: 1, seen });
    expect(testbed.authorizationServer.requests).not.toHaveProperty('visit');
  });

  test.each<[string, SignInAnswer]>([
    ['that is not the callback of this sign-in', 'http://127.0.0.1/callback?code=wrong&state=wrong'],
    ['that is not a URL', 'hello'],
  ])('is auth_required after an answer %s', async (_what, answer) => {
    const testbed = await newTestbed();
    let asked = 0;
    const host = await open(testbed, () => {
      asked++;
      return answer;
    });
    await expect
      .poll(() => ({ asked, ...host.list()[0] }), WITHIN)
      .toMatchObject({
        asked: 1,
        state: 'auth_required',
        note: expect.not.stringContaining('waiting for'),
      });
    await host.tools();
    expect(asked).toBe(1);
  });

  test('is auth_required if the application fails, with its message', async () => {
    const testbed = await newTestbed();
    const host = await open(testbed, () => {
      throw new Error('no display');
    });
    await expect.poll(() => host.list()[0]?.note ?? '', WITHIN).toContain('no display');
  });

  verifies('auth:flow:required', 'is auth_required at once without signIn, and registers nothing', async () => {
    const testbed = await newTestbed();
    const host = await open(testbed, undefined);
    await expect.poll(() => host.list().map(({ state }) => state), WITHIN).toEqual(['auth_required']);
    expect(host.get('notes').note).toMatch(/sign/i);
    expect(testbed.authorizationServer.requests).not.toHaveProperty('registration');
  });

  test('does not time out while the user signs in', async () => {
    const testbed = await newTestbed();
    const LIMIT_MS = 3_000;
    let finish: () => void = () => {};
    const config = configOf({
      notes: { url: testbed.server.url, startup_timeout_ms: LIMIT_MS, request_timeout_ms: LIMIT_MS },
    });
    const host = await openHost({
      config,
      env: processes.env({ SWITCHBOARD_HOME: testbed.folder }),
      signIn: ({ authorizationUrl }) =>
        new Promise((resolve) => {
          finish = () => void browse(authorizationUrl).then(() => resolve(true));
        }),
    });
    await expect
      .poll(() => host.list()[0], WITHIN)
      .toMatchObject({
        state: 'auth_required',
        note: 'waiting for the user to sign in',
      });
    // Longer than any step may otherwise take.
    await delay(LIMIT_MS + 1_000);
    expect(host.list()).toMatchObject([{ state: 'auth_required' }]);
    finish();
    await expect.poll(() => host.list().map(({ state }) => state), WITHIN).toEqual(['ready']);
    expect(await call(host, 'notes', 'whoami')).toMatchObject({ text: 'alice' });
  });

  test('fires the signal when the host is closed', async () => {
    const testbed = await newTestbed();
    const asked: SignInRequest[] = [];
    const host = await open(testbed, (request) => {
      asked.push(request);
      return new Promise<SignInAnswer>(() => {});
    });
    await expect.poll(() => asked.length, WITHIN).toBe(1);
    await host.close();
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  verifies('host:safety:secrets-masked', 'leaves no token in logs, listings or errors', async () => {
    const testbed = await newTestbed();
    const lines: string[] = [];
    const config = configOf({ notes: { url: testbed.server.url } });
    const host = await openHost({
      config,
      env: processes.env({ SWITCHBOARD_HOME: testbed.folder }),
      log: (line) => void lines.push(line),
      logLevel: 'debug',
      async signIn({ authorizationUrl }) {
        await browse(authorizationUrl);
        return true;
      },
    });
    const secrets = new Set<string>();
    const keep = () => {
      for (const secret of secretsIn(testbed.stored('notes'))) secrets.add(secret);
    };
    const messages = [await call(host, 'notes', 'whoami')];
    keep();
    testbed.authorizationServer.forgetAccessTokens();
    messages.push(await call(host, 'notes', 'whoami'));
    keep();
    testbed.authorizationServer.forgetAccessTokens();
    testbed.authorizationServer.forgetRefreshTokens();
    messages.push(await call(host, 'notes', 'whoami'));
    keep();
    expect(messages.slice(0, 2)).toMatchObject([{ text: 'alice' }, { text: 'alice' }]);
    // Guards against an empty search: at least two access tokens and a refresh token.
    expect(secrets.size).toBeGreaterThan(2);
    const reported = JSON.stringify([lines, host.list(), host.get('notes'), messages]);
    expect([...secrets].filter((secret) => reported.includes(secret))).toEqual([]);
  });
});

type Testbed = Awaited<ReturnType<typeof newTestbed>>;
type SignIn = (request: SignInRequest) => SignInAnswer | Promise<SignInAnswer>;

function open(testbed: Testbed, signIn: SignIn | undefined) {
  const config = configOf({ notes: { url: testbed.server.url } });
  const env = processes.env({ SWITCHBOARD_HOME: testbed.folder });
  return openHost({ config, env, ...(signIn === undefined ? {} : { signIn }) });
}
