import { expect, test } from 'vitest';
import { readChallenge } from '../../src/auth/discovery/challenge.ts';
import { revokeTokens } from '../../src/auth/oauth/revocation.ts';
import { refreshTokens } from '../../src/auth/oauth/token-requests.ts';
import { pollForTokens, requestDeviceCode } from '../../src/auth/sign-in/device-flow.ts';
import { chooseScope } from '../../src/auth/sign-in/scope.ts';
import { verifies } from '../verifies.ts';
import { openAuthorizationServer } from './authorization-server.ts';
import { openProtectedServer } from './protected-server.ts';
import { callTool, closing, type SignedIn, signInBySteps } from './sign-in-steps.ts';

const open = closing();
const now = () => 5_000;

function refreshOf({ discovery, client, tokens, fetch }: SignedIn) {
  const { server, resource } = discovery;
  return { server, client, refreshToken: tokens.refreshToken ?? '', resource, fetch, now };
}

verifies('auth:store:refresh', 'a refresh returns a new access token and a new refresh token, once', async () => {
  const at = await open(openAuthorizationServer());
  const server = await open(openProtectedServer({ authorizationServer: at, challengeScope: 'mcp:read mcp:write' }));
  const signedIn = await signInBySteps({ server, at });
  at.forgetAccessTokens();
  expect(await callTool(server, 'whoami', signedIn.tokens.accessToken)).toBe(401);

  const renewed = await refreshTokens(refreshOf(signedIn));
  expect(renewed).toEqual({
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    expiresAt: 3_605_000,
    tokenType: 'Bearer',
    scope: signedIn.tokens.scope,
  });
  expect(renewed.refreshToken).not.toBe(signedIn.tokens.refreshToken);
  expect(await callTool(server, 'needs-scope', renewed.accessToken)).toBe('written');

  const again: unknown = await refreshTokens(refreshOf(signedIn)).catch((reason: unknown) => reason);
  expect(again).toMatchObject({ code: 'SIGN_IN_NEEDED', data: { oauthError: 'invalid_grant' } });
  expect(JSON.stringify(again) + String(again)).not.toContain(signedIn.tokens.refreshToken);
});

test('a server that no longer knows the client requires a new sign-in', async () => {
  const at = await open(openAuthorizationServer());
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const signedIn = await signInBySteps({ server, at });
  at.forgetClients();
  await expect(refreshTokens(refreshOf(signedIn))).rejects.toMatchObject({
    code: 'SIGN_IN_NEEDED',
    data: { oauthError: 'invalid_client' },
  });
});

test('an unavailable server does not affect the stored sign-in', async () => {
  const at = await open(openAuthorizationServer());
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const signedIn = await signInBySteps({ server, at });
  at.setDown(true);
  await expect(refreshTokens(refreshOf(signedIn))).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
    message: `${new URL(at.issuer).host} returned HTTP status 503: try again later.`,
  });
  await at.close();
  await expect(refreshTokens(refreshOf(signedIn))).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
});

test('requests offline_access only if refresh tokens depend on it', async () => {
  const outcomes: unknown[] = [];
  for (const refreshTokens of ['offline_access', 'never'] as const) {
    const at = await open(openAuthorizationServer({ refreshTokens }));
    const server = await open(openProtectedServer({ authorizationServer: at, challengeScope: 'mcp:read' }));
    const { asked, tokens } = await signInBySteps({ server, at });
    outcomes.push([
      asked.searchParams.get('scope'),
      asked.searchParams.get('prompt'),
      tokens.refreshToken !== undefined,
    ]);
  }
  expect(outcomes).toEqual([
    ['mcp:read offline_access', 'consent', true],
    ['mcp:read', null, false],
  ]);
});

test('a tool that needs more scopes works after a step-up', async () => {
  const at = await open(openAuthorizationServer());
  const server = await open(
    openProtectedServer({ authorizationServer: at, challengeScope: 'mcp:read', answer: 'json' }),
  );
  const { discovery, tokens } = await signInBySteps({ server, at });
  const refused = await fetch(server.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.accessToken}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'needs-scope' } }),
  });
  expect(refused.status).toBe(403);
  const challenge = readChallenge(refused.headers.get('www-authenticate') ?? undefined);
  const scope = chooseScope({ challenge, settings: undefined, discovery, granted: tokens.scope });
  expect(scope?.split(' ').toSorted()).toEqual(['mcp:read', 'mcp:write', 'offline_access']);
  const again = await signInBySteps({ server, at, asked: scope?.split(' ') ?? [] });
  expect(await callTool(server, 'needs-scope', again.tokens.accessToken)).toBe('written');
});

test('revoked tokens are rejected', async () => {
  const at = await open(openAuthorizationServer());
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const signedIn = await signInBySteps({ server, at });
  const { discovery, client, tokens, fetch } = signedIn;
  expect(await revokeTokens({ server: discovery.server, client, tokens, fetch })).toEqual({
    refreshToken: true,
    accessToken: true,
  });
  expect(await callTool(server, 'whoami', tokens.accessToken)).toBe(401);
  await expect(refreshTokens(refreshOf(signedIn))).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
});

test('reports unsupported or failed revocation without throwing', async () => {
  const without = await open(openAuthorizationServer({ revocation: false }));
  const at = await open(openAuthorizationServer());
  for (const authorizationServer of [without, at]) {
    const server = await open(openProtectedServer({ authorizationServer }));
    const { discovery, client, tokens, fetch } = await signInBySteps({ server, at: authorizationServer });
    authorizationServer.setDown(true);
    expect(await revokeTokens({ server: discovery.server, client, tokens, fetch })).toEqual({
      refreshToken: false,
      accessToken: false,
    });
  }
});

test('polls a device code until the user approves it', async () => {
  const at = await open(openAuthorizationServer({ account: 'erin', deviceIntervalSeconds: 0.05 }));
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const { discovery, client, fetch } = await signInBySteps({ server, at });
  const options = { discovery, client, fetch, now };
  const code = await requestDeviceCode({ ...options, scope: 'mcp:read', configuredUrl: server.url });
  expect(code).toEqual({
    userCode: expect.stringMatching(/^\w{4}-\w{4}$/),
    verificationUri: `${at.issuer}/device`,
    verificationUriComplete: `${at.issuer}/device?user_code=${code.userCode}`,
    intervalMs: 1000,
    expiresAt: 605_000,
    deviceCode: expect.any(String),
    scope: 'mcp:read',
  });
  const polling = pollForTokens({ ...options, code }, AbortSignal.timeout(30_000));
  await expect.poll(() => at.requests['token:device_code:failed']).toBeGreaterThan(0);
  await at.approveDevice(code.verificationUriComplete ?? '');
  const tokens = await polling;
  expect(await callTool(server, 'whoami', tokens.accessToken)).toBe('erin');
});

test('a device code that nobody approves ends by cancellation or timeout', async () => {
  const at = await open(openAuthorizationServer({ deviceIntervalSeconds: 0.05 }));
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const { discovery, client, fetch } = await signInBySteps({ server, at });
  const options = { discovery, client, fetch, now };
  const code = await requestDeviceCode({ ...options, scope: undefined, configuredUrl: server.url });
  await expect(pollForTokens({ ...options, code }, AbortSignal.timeout(300))).rejects.toMatchObject({
    code: 'CANCELLED',
  });
  const late = { ...options, now: () => code.expiresAt };
  await expect(pollForTokens({ ...late, code }, AbortSignal.timeout(300))).rejects.toMatchObject({ code: 'TIMED_OUT' });
});

test.each([
  [3_000_000, 60_000],
  [0.000_001, 1000],
  [2, 2000],
])('polls every %d s as every %d ms', async (deviceIntervalSeconds, intervalMs) => {
  const at = await open(openAuthorizationServer({ deviceIntervalSeconds }));
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const { discovery, client, fetch } = await signInBySteps({ server, at });
  const code = await requestDeviceCode({ discovery, client, fetch, now, scope: undefined, configuredUrl: server.url });
  expect(code.intervalMs).toBe(intervalMs);
});

test('without a device endpoint, the message says how to sign in', async () => {
  const at = await open(openAuthorizationServer({ device: false }));
  const server = await open(openProtectedServer({ authorizationServer: at }));
  const { discovery, client, fetch } = await signInBySteps({ server, at });
  await expect(
    requestDeviceCode({ discovery, client, fetch, now, scope: undefined, configuredUrl: server.url }),
  ).rejects.toMatchObject({
    code: 'USAGE',
    message: `${new URL(at.issuer).host} does not support sign-in by device code: sign in without --device.`,
  });
});
