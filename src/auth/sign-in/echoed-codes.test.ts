import { expect, test } from 'vitest';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import { refreshTokens } from '../oauth/token-requests.ts';
import { finishAuthorization } from './authorization.ts';
import { pollForTokens } from './device-flow.ts';

const AS = 'https://as.example.com';
const RESOURCE = 'https://mcp.example.com/mcp';
const server = { issuer: AS, token_endpoint: `${AS}/token` };
const discovery = { server, resource: RESOURCE, scopesSupported: undefined, isConfigured: false };
const client: OAuthClient = {
  clientId: 'c',
  clientSecret: 'client-secret-4711',
  authMethod: 'client_secret_post',
  registration: 'dcr',
};
const NAMES = ['code', 'code_verifier', 'device_code', 'refresh_token', 'client_secret'];

/** An authorization server that repeats everything that it received in its error. */
const echo: GuardedFetch = async (_, init) => {
  const sent = new URLSearchParams(String(init?.body));
  const repeated = NAMES.flatMap((name) => sent.get(name) ?? []).join(' ');
  return Response.json({ error: 'invalid_request', error_description: `got ${repeated}` }, { status: 400 });
};

test('the error of a refused code shows neither the code nor its verifier', async () => {
  const pending = {
    url: AS,
    state: 'state-1',
    verifier: 'verifier-4711-abc',
    redirectUri: 'http://127.0.0.1:1/callback',
    scope: undefined,
  };
  const callback = new URL('http://127.0.0.1:1/callback?code=code-4711-abc&state=state-1');
  const finished = finishAuthorization({ discovery, client, pending, callback, fetch: echo });
  await expect(finished).rejects.toMatchObject({ message: expect.stringContaining('(got *** *** ***)') });
});

test('the error of a refused device code does not show it', async () => {
  const code = {
    deviceCode: 'device-4711-abc',
    userCode: 'ABCD',
    verificationUri: AS,
    verificationUriComplete: undefined,
    expiresAt: 2_000,
    intervalMs: 1,
    scope: undefined,
  };
  const options = { discovery, client, fetch: echo, now: () => 1_000, code };
  const polled = pollForTokens(options, new AbortController().signal);
  await expect(polled).rejects.toMatchObject({ message: expect.stringContaining('(got *** ***)') });
});

test('the error of a refused refresh token does not show it', async () => {
  const refreshed = refreshTokens({
    server,
    client,
    refreshToken: 'refresh-4711-abc',
    resource: RESOURCE,
    fetch: echo,
    now: () => 1_000,
  });
  await expect(refreshed).rejects.toMatchObject({ message: expect.stringContaining('(got *** ***)') });
});
