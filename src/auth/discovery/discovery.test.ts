import { describe, expect, test } from 'vitest';
import { type Page, scriptedFetch } from '../../../test/auth/scripted-fetch.ts';
import { readChallenge } from './challenge.ts';
import { discover } from './discovery.ts';

const URL_ = 'https://mcp.example.com/team/mcp';
const MCP = 'https://mcp.example.com';
const AS = 'https://as.example.com';
const NO_CHALLENGE = readChallenge(undefined);

function serverAt(issuer: string, more: object = {}): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    code_challenge_methods_supported: ['S256'],
    ...more,
  };
}

async function run(pages: Readonly<Record<string, Page>>, header?: string) {
  const { fetch, sent } = scriptedFetch(URL_, pages);
  const discovery = await discover(URL_, { challenge: readChallenge(header), settings: undefined, fetch });
  return { discovery, sent };
}

describe('looks for the protected resource metadata', () => {
  test('only at the URL in the challenge', async () => {
    const place = `${MCP}/custom/location.json`;
    const { discovery, sent } = await run(
      {
        [place]: { resource: URL_, authorization_servers: [AS] },
        [`${AS}/.well-known/oauth-authorization-server`]: serverAt(AS),
      },
      `Bearer resource_metadata="${place}"`,
    );
    expect(sent).toEqual([`GET ${place}`, `GET ${AS}/.well-known/oauth-authorization-server`]);
    expect(discovery).toEqual({
      server: serverAt(AS),
      resource: URL_,
      scopesSupported: undefined,
      isConfigured: false,
    });
  });

  test('otherwise at the well-known URL of the path, then of the host, and keeps the published resource', async () => {
    const { discovery, sent } = await run({
      [`${MCP}/.well-known/oauth-protected-resource`]: {
        resource: MCP,
        authorization_servers: [`${AS}/t1`],
        scopes_supported: ['a', 1, 'b'],
      },
      [`${AS}/.well-known/oauth-authorization-server/t1`]: serverAt(`${AS}/t1`),
    });
    expect(sent).toEqual([
      `GET ${MCP}/.well-known/oauth-protected-resource/team/mcp`,
      `GET ${MCP}/.well-known/oauth-protected-resource`,
      `GET ${AS}/.well-known/oauth-authorization-server/t1`,
    ]);
    expect(discovery).toEqual({
      server: serverAt(`${AS}/t1`),
      resource: MCP,
      scopesSupported: ['a', 'b'],
      isConfigured: false,
    });
  });
});

test('queries the authorization server in the order of the specification', async () => {
  const { sent } = await run({
    [`${MCP}/.well-known/oauth-protected-resource/team/mcp`]: { resource: URL_, authorization_servers: [`${AS}/t1/`] },
    [`${AS}/.well-known/oauth-authorization-server/t1`]: [200, '<html>', 'text/html'],
    [`${AS}/.well-known/openid-configuration/t1`]: [405, ''],
    [`${AS}/t1/.well-known/openid-configuration`]: serverAt(`${AS}/t1/`),
  });
  expect(sent.slice(1)).toEqual([
    `GET ${AS}/.well-known/oauth-authorization-server/t1`,
    `GET ${AS}/.well-known/openid-configuration/t1`,
    `GET ${AS}/t1/.well-known/openid-configuration`,
  ]);
});

test('treats a 2025-03-26 server as its own authorization server', async () => {
  const { discovery } = await run({ [`${MCP}/.well-known/oauth-authorization-server`]: serverAt(MCP) });
  expect(discovery).toEqual({ server: serverAt(MCP), resource: URL_, scopesSupported: undefined, isConfigured: false });
});

test.each([
  ['404 and 401 responses', {}],
  ['an HTML page', { [`${MCP}/.well-known/oauth-protected-resource`]: [200, '<html>'] }],
  ['unrelated JSON', { [`${MCP}/.well-known/oauth-protected-resource`]: { detail: 'no' } }],
  ['an API key', { [`${MCP}/.well-known/oauth-protected-resource/team/mcp`]: [401, 'key!'] }],
] as const)('reports no OAuth for a server with only %s', async (_, pages) => {
  expect((await run(pages)).discovery).toBeUndefined();
});

test('rejects a named authorization server without metadata instead of assuming no OAuth', async () => {
  const pages = { [`${MCP}/.well-known/oauth-protected-resource`]: { resource: MCP, authorization_servers: [AS] } };
  await expect(run(pages)).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    message: expect.stringContaining(`names ${AS} as its authorization server, which publishes no metadata`),
  });
});

test.each([['token_endpoint'], ['authorization_endpoint']])('rejects metadata without %s', async (name) => {
  const pages = { [`${MCP}/.well-known/oauth-authorization-server`]: serverAt(MCP, { [name]: undefined }) };
  await expect(run(pages)).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    message: expect.stringContaining(`lacks ${name}`),
  });
});

test.each([500, 503, 429])('fails discovery after status %i', async (status) => {
  const pages = { [`${MCP}/.well-known/oauth-authorization-server`]: [status, 'x'] as const };
  await expect(run(pages)).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
    message: expect.stringContaining('Could not determine how to sign in'),
  });
});

test('lets single URLs in the config override discovered ones', async () => {
  const { fetch } = scriptedFetch(URL_, { [`${MCP}/.well-known/oauth-authorization-server`]: serverAt(MCP) });
  const settings = {
    authorizationUrl: undefined,
    tokenUrl: `${MCP}/my-token`,
    registrationUrl: `${MCP}/my-register`,
    clientId: undefined,
    clientSecret: undefined,
    clientSecretEnv: undefined,
    scope: undefined,
  };
  const discovery = await discover(URL_, { challenge: NO_CHALLENGE, settings, fetch });
  const own = { token_endpoint: `${MCP}/my-token`, registration_endpoint: `${MCP}/my-register` };
  expect(discovery?.server).toEqual({ ...serverAt(MCP), ...own });
});

test('sends no requests and offers no sign-in over http to another machine', async () => {
  const { fetch, sent } = scriptedFetch('http://box:8000/mcp', {});
  const found = await discover('http://box:8000/mcp', {
    challenge: readChallenge(undefined),
    settings: undefined,
    fetch,
  });
  expect([found, sent]).toEqual([undefined, []]);
});
