import { expect, test } from 'vitest';
import { type Page, scriptedFetch } from '../../../test/auth/scripted-fetch.ts';
import type { OAuthClient } from './client-registration.ts';
import { refreshTokens } from './token-requests.ts';

const AS = 'https://as.example.com';
const PUBLIC: OAuthClient = { clientId: 'c', clientSecret: undefined, authMethod: 'none', registration: 'dcr' };

function refresh(answer: Page, client = PUBLIC, scope?: string) {
  const { fetch, bodies } = scriptedFetch('https://mcp.example.com', { [`${AS}/token`]: answer });
  const headers: Record<string, string>[] = [];
  const tokens = refreshTokens({
    server: { issuer: AS, token_endpoint: `${AS}/token` },
    client,
    refreshToken: 'old-secret',
    resource: 'https://mcp.example.com/mcp',
    ...(scope === undefined ? {} : { scope }),
    fetch: (url, init) => {
      headers.push({ ...init?.headers });
      return fetch(url, init);
    },
    now: () => 1000,
  });
  return { tokens, bodies, headers };
}

const GOOD = { access_token: 'new', token_type: 'bearer' };

test('keeps the old refresh token if the response has no refresh token and no expiry', async () => {
  const { tokens, bodies } = refresh(GOOD, PUBLIC, 'a b');
  expect(await tokens).toEqual({
    accessToken: 'new',
    refreshToken: 'old-secret',
    expiresAt: undefined,
    tokenType: 'Bearer',
    scope: 'a b',
  });
  expect(Object.fromEntries(new URLSearchParams(bodies[0]))).toEqual({
    grant_type: 'refresh_token',
    refresh_token: 'old-secret',
    resource: 'https://mcp.example.com/mcp',
    scope: 'a b',
    client_id: 'c',
  });
});

test('accepts slightly invalid token responses', async () => {
  const sloppy = { ...GOOD, token_type: 'BEARER', expires_in: '60', id_token: 'not.a.token', refresh_token: 'next' };
  const { tokens } = refresh([200, JSON.stringify(sloppy), 'text/plain']);
  expect(await tokens).toEqual({
    accessToken: 'new',
    refreshToken: 'next',
    expiresAt: 61_000,
    tokenType: 'Bearer',
    scope: undefined,
  });
});

test('treats null members as absent', async () => {
  const { tokens } = refresh({ ...GOOD, expires_in: null, refresh_token: null, scope: null, id_token: null });
  expect(await tokens).toEqual({
    ...{ accessToken: 'new', refreshToken: 'old-secret', expiresAt: undefined, tokenType: 'Bearer', scope: undefined },
  });
});

test.each([1e16, 1e308, 4e9])('ignores an expiry of %d s', async (seconds) => {
  expect((await refresh({ ...GOOD, expires_in: seconds }).tokens).expiresAt).toBeUndefined();
});

test.each(['a\r\nX-Evil: 1', '日本', 'two words', ''])(
  'rejects a token that is not a valid header value: %j',
  async (token) => {
    const error: unknown = await refresh({ ...GOOD, access_token: token }).tokens.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'BAD_ANSWER', message: expect.stringMatching(/^as\.example\.com /) });
    expect(String(error)).not.toMatch(/Evil|日本|two words/);
  },
);

test.each([
  ['client_secret_basic', 'my-client_1', 'p-w_d', 'Basic bXktY2xpZW50XzE6cC13X2Q='],
  ['client_secret_basic', 'a:b', 'ü/ ', `Basic ${Buffer.from('a%3Ab:%C3%BC%2F%20').toString('base64')}`],
] as const)('%s encodes the credentials of client %s', async (authMethod, clientId, clientSecret, expected) => {
  const { tokens, headers, bodies } = refresh(GOOD, { clientId, clientSecret, authMethod, registration: 'static' });
  await tokens;
  expect(headers[0]?.['authorization']).toBe(expected);
  expect(bodies[0]).not.toContain('client_secret');
});

test('client_secret_post sends the secret in the body', async () => {
  const client = { clientId: 'c', clientSecret: 's', authMethod: 'client_secret_post' } as const;
  const { tokens, headers, bodies } = refresh(GOOD, { ...client, registration: 'static' });
  await tokens;
  expect(headers[0]?.['authorization']).toBeUndefined();
  expect(bodies[0]).toContain('client_secret=s');
});

test.each([
  [
    'invalid_grant',
    [400, '{"error":"invalid_grant","error_description":"gone\\u001b[2J"}', 'application/json'],
    'SIGN_IN_NEEDED',
    'as.example.com refused to refresh the token: invalid_grant (gone). Sign in again.',
  ],
  [
    'invalid_client with an HTML content type',
    [401, '{"error":"invalid_client"}', 'text/html'],
    'SIGN_IN_NEEDED',
    'as.example.com refused to refresh the token: invalid_client. Sign in again.',
  ],
  [
    'an error with status 200',
    [200, '{"error":"bad_refresh_token"}', 'application/json'],
    'SIGN_IN_NEEDED',
    'as.example.com refused to refresh the token: bad_refresh_token. Sign in again.',
  ],
  ['too many requests', [429, ''], 'CONNECTION_CLOSED', 'as.example.com returned HTTP status 429: try again later.'],
  ['a server error', [503, '<h1>'], 'CONNECTION_CLOSED', 'as.example.com returned HTTP status 503: try again later.'],
  [
    'an unsupported token type',
    { ...GOOD, token_type: 'DPoP' },
    'BAD_ANSWER',
    'as.example.com issued a token of type dpop, but only bearer tokens are supported.',
  ],
] as const)('reports %s with a specific message', async (_, answer, code, message) => {
  await expect(refresh(answer).tokens).rejects.toMatchObject({ code, message });
});

test.each([
  [[200, '<html>old-secret']],
  [{ access_token: 5, refresh_token: 'leaked' }],
  [[200, '[]', 'application/json']],
  [[404, '<html>']],
] as const)('reports a non-OAuth response without quoting it: %j', async (answer) => {
  const error: unknown = await refresh(answer).tokens.catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'BAD_ANSWER',
    message: expect.stringMatching(/^as\.example\.com failed to refresh the token: its response is not valid OAuth: /),
  });
  expect(String(error)).not.toMatch(/old-secret|leaked/);
  expect((error as Error).cause).toBeUndefined();
});
