import { expect, test } from 'vitest';
import { discover } from '../../src/auth/discovery/discovery.ts';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { verifies } from '../verifies.ts';
import { openAuthorizationServer } from './authorization-server.ts';
import { openProtectedServer } from './protected-server.ts';
import { callTool, closing, NO_CHALLENGE, REDIRECT, settingsOf, signInBySteps } from './sign-in-steps.ts';

const open = closing();

verifies(
  ['auth:flow:pkce', 'auth:flow:registration', 'auth:discovery:protected-resource'],
  'a sign-in discovers, registers, authorizes and gets a token that the server accepts',
  async () => {
    const at = await open(openAuthorizationServer({ account: 'carol' }));
    const server = await open(openProtectedServer({ authorizationServer: at, scopesSupported: ['mcp:read'] }));
    const { discovery, client, tokens, asked } = await signInBySteps({ server, at });
    expect(discovery).toEqual({
      server: {
        issuer: at.issuer,
        authorization_endpoint: `${at.issuer}/auth`,
        token_endpoint: `${at.issuer}/token`,
        registration_endpoint: `${at.issuer}/reg`,
        device_authorization_endpoint: `${at.issuer}/device/auth`,
        revocation_endpoint: `${at.issuer}/token/revocation`,
        scopes_supported: ['openid', 'offline_access', 'mcp:read', 'mcp:write'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
        authorization_response_iss_parameter_supported: true,
      },
      resource: server.url,
      scopesSupported: ['mcp:read'],
      isConfigured: false,
    });
    expect(client).toEqual({
      clientId: expect.any(String),
      clientSecret: undefined,
      authMethod: 'none',
      registration: 'dcr',
    });
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: REDIRECT,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      resource: server.url,
      scope: 'mcp:read offline_access',
      prompt: 'consent',
    });
    expect(tokens).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      expiresAt: 1_000_000 + 3_600_000,
      tokenType: 'Bearer',
      scope: expect.stringContaining('mcp:read'),
    });
    expect(await callTool(server, 'whoami', tokens.accessToken)).toBe('carol');
  },
);

verifies('auth:flow:client', 'uses a client from the config unchanged, with its secret and scope', async () => {
  const known = { client_id: 'my-client.1', client_secret: 's3cret-_.~/+', redirect_uris: [REDIRECT] };
  for (const token_endpoint_auth_method of ['client_secret_basic', 'client_secret_post']) {
    const grants = ['authorization_code', 'refresh_token'];
    const clients = [{ ...known, token_endpoint_auth_method, grant_types: grants, application_type: 'native' }];
    const at = await open(
      openAuthorizationServer({ registration: false, clients, clientAuthMethods: [token_endpoint_auth_method] }),
    );
    const server = await open(openProtectedServer({ authorizationServer: at }));
    const settings = settingsOf({ clientId: 'my-client.1', clientSecret: 's3cret-_.~/+', scope: 'mcp:write' });
    const { client, tokens } = await signInBySteps({ server, at, settings });
    expect(client).toEqual({
      clientId: 'my-client.1',
      clientSecret: 's3cret-_.~/+',
      authMethod: token_endpoint_auth_method,
      registration: 'static',
    });
    expect(await callTool(server, 'needs-scope', tokens.accessToken)).toBe('written');
  }
});

verifies('auth:discovery:explicit', 'skips discovery if both URLs are in the config', async () => {
  const clients = [
    { client_id: 'known', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', application_type: 'native' },
  ];
  const at = await open(openAuthorizationServer({ clients }));
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const settings = settingsOf({
    authorizationUrl: `${at.issuer}/auth`,
    tokenUrl: `${at.issuer}/token`,
    clientId: 'known',
    scope: 'mcp:read',
  });
  const { discovery, tokens } = await signInBySteps({ server, at, settings });
  expect(discovery).toEqual({
    server: {
      issuer: at.issuer,
      authorization_endpoint: `${at.issuer}/auth`,
      token_endpoint: `${at.issuer}/token`,
      code_challenge_methods_supported: ['S256'],
    },
    resource: server.url,
    scopesSupported: undefined,
    isConfigured: true,
  });
  expect(at.requests).toMatchObject({ visit: 1, 'token:authorization_code': 1 });
  expect(at.requests['discovery']).toBeUndefined();
  expect(server.seen.filter(({ path }) => path.includes('well-known'))).toEqual([]);
  expect(await callTool(server, 'whoami', tokens.accessToken)).toBe('alice');
});

verifies(
  'auth:discovery:none',
  'finds no OAuth for a server that requires an API key, and registers nothing',
  async () => {
    const server = await open(openProtectedServer({ apiKeyOnly: 'key' }));
    const fetch = createGuardedFetch({ configuredUrl: server.url, env: {} });
    expect(await discover(server.url, { challenge: NO_CHALLENGE, settings: undefined, fetch })).toBeUndefined();
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /.well-known/oauth-protected-resource/mcp',
      'GET /.well-known/oauth-protected-resource',
      'GET /.well-known/oauth-authorization-server',
      'GET /.well-known/openid-configuration',
    ]);
  },
);

test('reuses a registered client, but not at another authorization server', async () => {
  const at = await open(openAuthorizationServer());
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const first = await signInBySteps({ server, at });
  const stored = { ...first.client, issuer: at.issuer, redirectUri: REDIRECT };
  const second = await signInBySteps({ server, at, stored });
  expect(second.client).toEqual(first.client);
  expect(at.requests['registration']).toBe(1);

  const other = await open(openAuthorizationServer({ account: 'dave' }));
  server.moveTo(other);
  const third = await signInBySteps({ server, at: other, stored });
  expect(third.client.clientId).not.toBe(first.client.clientId);
  expect(other.requests['registration']).toBe(1);
  expect(await callTool(server, 'whoami', third.tokens.accessToken)).toBe('dave');
  expect(await callTool(server, 'whoami', first.tokens.accessToken)).toBe(401);
});

const callbacks: readonly (readonly [string, (callback: URL) => void, string])[] = [
  ['a wrong state', (url) => url.searchParams.set('state', 'x'), 'its state does not match the one that was sent'],
  ['no state', (url) => url.searchParams.delete('state'), 'its state does not match the one that was sent'],
  ['two states', (url) => url.searchParams.append('state', 'x'), 'it has more than one state parameter'],
  [
    'a wrong iss',
    (url) => url.searchParams.set('iss', 'https://evil.example'),
    'its iss parameter names another authorization server',
  ],
  [
    'an iss with a slash more',
    (url) => url.searchParams.set('iss', `${url.searchParams.get('iss')}/`),
    'its iss parameter names another authorization server',
  ],
  [
    'no iss',
    (url) => url.searchParams.delete('iss'),
    'it has no iss parameter, which this authorization server always sends',
  ],
  [
    'another path',
    (url) => {
      url.pathname = '/callback/other';
    },
    'its URL is not the redirect URI of this sign-in',
  ],
  [
    'another host',
    (url) => {
      url.hostname = 'localhost';
    },
    'its URL is not the redirect URI of this sign-in',
  ],
];

test.each(callbacks)('rejects a callback with %s before it sends the code anywhere', async (_, change, why) => {
  const at = await open(openAuthorizationServer());
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const changeCallback = (callback: URL) => {
    callback.searchParams.set('error_description', 'say this to the user');
    change(callback);
  };
  await expect(signInBySteps({ server, at, changeCallback })).rejects.toMatchObject({
    code: 'DENIED',
    message: `Rejected the browser callback: ${why}. Start the sign-in again.`,
  });
  expect(at.requests['token:authorization_code']).toBeUndefined();
  expect(at.requests['token:authorization_code:failed']).toBeUndefined();
});

test('shows an error in a valid callback without control characters', async () => {
  const at = await open(openAuthorizationServer());
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const changeCallback = (callback: URL) => {
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_description', 'no\u001b[31m way');
  };
  await expect(signInBySteps({ server, at, changeCallback })).rejects.toMatchObject({
    code: 'DENIED',
    message: `${new URL(at.issuer).host} did not sign you in: access_denied (no way).`,
  });
});

test('rejects a code that was already used, without showing it', async () => {
  const at = await open(openAuthorizationServer());
  const server = await open(openProtectedServer({ authorizationServer: at }));
  let code = '';
  await signInBySteps({
    server,
    at,
    changeCallback: (url) => {
      code = url.searchParams.get('code') ?? '';
    },
  });
  const again = signInBySteps({ server, at, changeCallback: (url) => url.searchParams.set('code', code) });
  const error: unknown = await again.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'SIGN_IN_NEEDED', data: { oauthError: 'invalid_grant' } });
  expect(String(error)).not.toContain(code);
});
