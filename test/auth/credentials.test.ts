import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { ID, refusalOf, secretsIn, useTestbeds } from './login-harness.ts';

const newTestbed = useTestbeds();

describe('without a sign-in', () => {
  verifies(
    ['auth:flow:required', 'auth:flow:who-starts'],
    'a rejected request names the command that signs in',
    async () => {
      const testbed = await newTestbed();
      const credentials = testbed.credentials();
      expect(credentials.authorization()).toBeUndefined();
      const host = new URL(testbed.server.url).host;
      expect(await refusalOf(testbed.call(credentials, 'whoami'))).toEqual({
        code: 'SIGN_IN_NEEDED',
        message: `notes (${host}) needs you to sign in. Run: switchboard mcp login notes`,
      });
      expect(testbed.authorizationServer.requests).toEqual({ discovery: 1 });
    },
  );

  verifies(
    ['auth:discovery:none', 'auth:discovery:header'],
    'reports a server that requires its own key, and registers nothing',
    async () => {
      const testbed = await newTestbed({ server: { apiKeyOnly: 'key-of-the-server' } });
      const refusal = await refusalOf(testbed.call(testbed.credentials(), 'whoami'));
      expect(refusal).toEqual({
        code: 'HTTP_FAILED',
        message: expect.stringMatching(
          /offers no sign-in.*headers\.Authorization.*mcp add notes <url> --replace --header/,
        ),
      });
      expect(testbed.server.seen.map(({ method }) => method).filter((method) => method !== 'GET')).toEqual(['POST']);
      expect(testbed.authorizationServer.requests).toEqual({});
    },
  );

  test('concurrent rejections share one discovery', async () => {
    const testbed = await newTestbed();
    const credentials = testbed.credentials();
    const refusals = await Promise.all(Array.from({ length: 8 }, () => refusalOf(testbed.call(credentials, 'whoami'))));
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['SIGN_IN_NEEDED']));
    expect(testbed.authorizationServer.requests['discovery']).toBeLessThanOrEqual(2);
  });

  test('an unavailable authorization server does not mean that there is no sign-in', async () => {
    const testbed = await newTestbed();
    testbed.authorizationServer.setDown(true);
    const { code, message } = await refusalOf(testbed.call(testbed.credentials(), 'whoami'));
    expect(code).not.toBe('SIGN_IN_NEEDED');
    expect(message).not.toContain('headers.Authorization');
  });

  test('detects a new sign-in, but not one for another server', async () => {
    const testbed = await newTestbed();
    const credentials = testbed.credentials();
    await refusalOf(testbed.call(credentials, 'whoami'));
    expect(credentials.hasChanged()).toBe(false);
    await testbed.signIn({ serverId: 'other' });
    expect(credentials.hasChanged()).toBe(false);
    await testbed.signIn();
    expect(credentials.hasChanged()).toBe(true);
    expect(await testbed.call(credentials, 'whoami')).toBe('alice');
  });

  test('an entry with its own Authorization header never gets a token, and the error names the header', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const credentials = testbed.credentials({ hasOwnAuthorization: true });
    expect(credentials.authorization()).toBeUndefined();
    const refusal = credentials.handleRejection({ status: 401, challenge: undefined, sent: 'Bearer of-the-entry' });
    const { code, message } = await refusalOf(refusal);
    expect(code).toBe('HTTP_FAILED');
    expect(message).toMatch(/^notes \(.*\) answered 401 to the Authorization header from its entry/);
    expect(message).not.toContain('of-the-entry');
    expect(credentials.hasChanged()).toBe(false);
  });
});

describe('a stored sign-in', () => {
  verifies('auth:store:kept', 'is used by every process without prompting', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const before = { ...testbed.authorizationServer.requests };
    const credentials = testbed.credentials({ store: testbed.openStore() });
    expect(credentials.hasToken()).toBe(true);
    expect(credentials.authorization()).toBe(`Bearer ${testbed.stored()?.['access_token']}`);
    expect(await testbed.call(credentials, 'whoami')).toBe('alice');
    expect(testbed.authorizationServer.requests).toEqual(before);
  });

  test('is not sent to another URL, and the message says why', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const elsewhere = `${testbed.server.url}?other`;
    const { origin } = new URL(elsewhere);
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const credentials = testbed.credentials({ url: elsewhere });
    expect(credentials.authorization()).toBeUndefined();
    const { code, message } = await refusalOf(credentials.handleRejection({ status: 401, challenge, sent: undefined }));
    expect(code).toBe('SIGN_IN_NEEDED');
    expect(message).toContain('its URL has changed since the last sign-in');
    expect(testbed.authorizationServer.requests['token:refresh_token']).toBeUndefined();
  });

  test('is separate for each of two accounts on one URL', async () => {
    const testbed = await newTestbed();
    await testbed.signIn({ serverId: 'work' });
    testbed.authorizationServer.signInAs('bob');
    await testbed.signIn({ serverId: 'home' });
    const as = (serverId: string) => testbed.call(testbed.credentials({ serverId }), 'whoami');
    expect([await as('work'), await as('home'), await as('work')]).toEqual(['alice', 'bob', 'alice']);
    expect(testbed.stored('work')?.['refresh_token']).not.toBe(testbed.stored('home')?.['refresh_token']);
  });

  test('with damaged data is reported and left unchanged', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    testbed.store.update(ID, (record) => record && { ...record, expiresAt: -1 });
    const credentials = testbed.credentials();
    // A server that requires no sign-in is queried as well.
    expect(credentials.authorization()).toBeUndefined();
    const { code, message } = await refusalOf(testbed.call(credentials, 'whoami'));
    expect(code).toBe('CONFIG_INVALID');
    expect(message).toContain('mcp-auth.json');
  });
});

describe('a tool that needs more scopes', () => {
  test('reports the login command with all scopes if nobody can be prompted', async () => {
    const testbed = await newTestbed({ server: { challengeScope: 'mcp:read' } });
    await testbed.signIn({ scopes: ['mcp:read'] });
    const scopes = String(testbed.stored()?.['scope']).split(' ');
    const { code, message } = await refusalOf(testbed.call(testbed.credentials(), 'needs-scope'));
    expect(code).toBe('SIGN_IN_NEEDED');
    expect(message).toContain(`Run: switchboard mcp login notes --scopes ${[...scopes, 'mcp:write'].join(',')}`);
    expect(testbed.stored()?.['scope']).toBe(scopes.join(' '));
  });

  test('reports the plain login command if the server does not name the missing scopes', async () => {
    const testbed = await newTestbed({ server: { namesNoScope: true } });
    await testbed.signIn({ scopes: ['mcp:read'] });
    const { message } = await refusalOf(testbed.call(testbed.credentials(), 'needs-scope'));
    // Requesting the granted scopes again would change nothing.
    expect(message).toMatch(
      /it requires more permissions than the last sign-in granted\. Run: switchboard mcp login notes$/,
    );
  });

  test('reports all scopes before any sign-in', async () => {
    const testbed = await newTestbed({ server: { challengeScope: 'mcp:read mcp:write' } });
    const { message } = await refusalOf(testbed.call(testbed.credentials(), 'needs-scope'));
    expect(message).toMatch(/needs you to sign in\. Run: switchboard mcp login notes --scopes mcp:read,mcp:write$/);
  });

  test('reports all scopes if the sign-in can no longer be refreshed', async () => {
    const testbed = await newTestbed({ server: { challengeScope: 'mcp:write' } });
    await testbed.signIn({ scopes: ['mcp:read'] });
    const scopes = String(testbed.stored()?.['scope']).split(' ');
    testbed.authorizationServer.forgetAccessTokens();
    testbed.authorizationServer.forgetRefreshTokens();
    const { message } = await refusalOf(testbed.call(testbed.credentials(), 'needs-scope'));
    const command = `switchboard mcp login notes --scopes ${[...scopes, 'mcp:write'].join(',')}`;
    expect(message).toContain(`expired or was revoked. Run: ${command}`);
  });

  test('reports its own scopes when another call is rejected concurrently', async () => {
    const testbed = await newTestbed();
    const credentials = testbed.credentials();
    const metadata = `${new URL(testbed.server.url).origin}/.well-known/oauth-protected-resource/mcp`;
    const refuse = (scope: string) => {
      const challenge = `Bearer scope="${scope}", resource_metadata="${metadata}"`;
      return refusalOf(credentials.handleRejection({ status: 401, challenge, sent: undefined }));
    };
    const reported = await Promise.all([refuse('mcp:read'), refuse('mcp:write')]);
    expect(reported.map(({ message }) => message.split(' --scopes ')[1])).toEqual(['mcp:read', 'mcp:write']);
  });

  test('gets them from the application, in addition to the granted scopes', async () => {
    const testbed = await newTestbed();
    await testbed.signIn({ scopes: ['mcp:read'] });
    const credentials = testbed.credentials({ signIn: (challenge) => testbed.signIn({ challenge }).then(() => {}) });
    expect(await testbed.call(credentials, 'needs-scope')).toBe('written');
    expect(String(testbed.stored()?.['scope']).split(' ')).toEqual(expect.arrayContaining(['mcp:read', 'mcp:write']));
  });

  test('triggers at most three sign-ins', async () => {
    const testbed = await newTestbed();
    await testbed.signIn({ scopes: ['mcp:read'] });
    const asked: (string | undefined)[] = [];
    const credentials = testbed.credentials({
      signIn: async ({ scope }) => {
        asked.push(scope);
        // A new token with the same permissions.
        await testbed.signIn({ scopes: ['mcp:read'] });
      },
    });
    const { code, message } = await refusalOf(testbed.call(credentials, 'needs-scope'));
    expect([code, asked.length]).toEqual(['SIGN_IN_NEEDED', 3]);
    expect(asked[0]?.split(' ')).toEqual(expect.arrayContaining(['mcp:read', 'mcp:write']));
    for (const secret of secretsIn(testbed.stored())) expect(message).not.toContain(secret);
  });

  test('fails with DENIED if the rejection has another reason', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const credentials = testbed.credentials();
    const refusal = credentials.handleRejection({
      status: 403,
      challenge: undefined,
      sent: credentials.authorization() as string,
    });
    expect((await refusalOf(refusal)).code).toBe('DENIED');
  });
});

describe('an application that signs in', () => {
  verifies('auth:flow:who-starts', 'is asked once for a missing token, however many callers wait', async () => {
    const testbed = await newTestbed();
    let asked = 0;
    const credentials = testbed.credentials({
      signIn: async (challenge) => {
        asked++;
        await testbed.signIn({ challenge });
      },
    });
    const answers = await Promise.all(Array.from({ length: 5 }, () => testbed.call(credentials, 'whoami')));
    expect([answers, asked]).toEqual([Array(5).fill('alice'), 1]);
  });

  test('passes its failure on to the callers', async () => {
    const testbed = await newTestbed();
    const credentials = testbed.credentials({ signIn: () => Promise.reject(new Error('the person said no')) });
    expect((await refusalOf(testbed.call(credentials, 'whoami'))).message).toBe('the person said no');
  });
});
