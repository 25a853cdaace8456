import { describe, expect, test } from 'vitest';
import { type Page, scriptedFetch } from '../../../test/auth/scripted-fetch.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import { obtainClient, type StoredClient } from './client-registration.ts';

const AS = 'https://as.example.com';
const REDIRECT = 'http://127.0.0.1:5000/callback/x';
const CIMD = 'https://switchboard.example/client.json';

interface Given {
  readonly server?: object;
  readonly settings?: Partial<OAuthSettings>;
  readonly stored?: StoredClient;
  readonly metadataUrl?: string;
  readonly answer?: Page;
  readonly scope?: string;
  readonly scopesSupported?: readonly string[];
}

async function run({ server, settings, stored, metadataUrl, answer, scope, scopesSupported }: Given) {
  const { fetch, sent, bodies } = scriptedFetch(
    'https://mcp.example.com',
    answer === undefined ? {} : { [`${AS}/register`]: answer },
  );
  const nothing = { authorizationUrl: undefined, tokenUrl: undefined, registrationUrl: undefined };
  const client = await obtainClient({
    discovery: { server: { issuer: AS, ...server }, resource: 'r', scopesSupported, isConfigured: false },
    settings:
      settings === undefined
        ? undefined
        : {
            ...nothing,
            clientId: undefined,
            clientSecret: undefined,
            clientSecretEnv: undefined,
            scope: undefined,
            ...settings,
          },
    stored,
    redirectUri: REDIRECT,
    scope,
    metadataUrl,
    fetch,
  });
  return { client, sent, body: bodies[0] === undefined ? undefined : (JSON.parse(bodies[0]) as unknown) };
}

const REGISTERS = { registration_endpoint: `${AS}/register` };
const STORED: StoredClient = {
  clientId: 'old',
  clientSecret: undefined,
  authMethod: 'none',
  registration: 'dcr',
  issuer: AS,
  redirectUri: REDIRECT,
};

describe('the client is', () => {
  const server = { ...REGISTERS, client_id_metadata_document_supported: true };
  const all = { server, stored: STORED, metadataUrl: CIMD, answer: { client_id: 'new' } };

  test('the one of the config, before all others', async () => {
    const { client, sent } = await run({ ...all, settings: { clientId: 'mine' } });
    expect(client).toEqual({ clientId: 'mine', clientSecret: undefined, authMethod: 'none', registration: 'static' });
    expect(sent).toEqual([]);
  });

  test('else the one registered here before', async () => {
    expect((await run(all)).client).toEqual({
      clientId: 'old',
      clientSecret: undefined,
      authMethod: 'none',
      registration: 'dcr',
    });
  });

  test.each([
    ['another issuer', { issuer: 'https://other.example' }],
    ['another redirect', { redirectUri: 'http://127.0.0.1:5001/callback/x' }],
    ['no known redirect', { redirectUri: undefined }],
    ['a config that no longer names it', { registration: 'static' as const }],
  ])('not the stored one with %s, but our metadata document where that is understood', async (_, change) => {
    const { client, sent } = await run({ ...all, stored: { ...STORED, ...change } });
    expect(client).toEqual({ clientId: CIMD, clientSecret: undefined, authMethod: 'none', registration: 'cimd' });
    expect(sent).toEqual([]);
  });

  test('else newly registered, as a program on a machine', async () => {
    const { client, body, sent } = await run({
      server: REGISTERS,
      metadataUrl: CIMD,
      answer: [200, '{"client_id":"new"}', 'text/plain'],
      scope: 'a offline_access',
      scopesSupported: ['a', 'b'],
    });
    expect(client).toEqual({ clientId: 'new', clientSecret: undefined, authMethod: 'none', registration: 'dcr' });
    expect(sent).toEqual([`POST ${AS}/register`]);
    expect(body).toEqual({
      client_name: 'Switchboard',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      scope: 'a offline_access b',
    });
  });
});

describe('how it proves itself follows the server:', () => {
  test.each([
    [undefined, 'client_secret_basic'],
    [['client_secret_post', 'client_secret_basic'], 'client_secret_basic'],
    [['client_secret_post'], 'client_secret_post'],
    [['none'], 'client_secret_basic'],
  ])('a secret of the config with %j goes by %s', async (supported, authMethod) => {
    const server = { token_endpoint_auth_methods_supported: supported };
    const { client } = await run({ server, settings: { clientId: 'mine', clientSecret: 's' } });
    expect(client).toEqual({ clientId: 'mine', clientSecret: 's', authMethod, registration: 'static' });
  });

  test.each([
    [undefined, {}, 'none'],
    [['none'], { client_secret: 's' }, 'none'],
    [['client_secret_basic', 'none'], {}, 'none'],
    [['client_secret_post', 'client_secret_basic'], { client_secret: 's' }, 'client_secret_basic'],
    [['client_secret_post'], { client_secret: 's' }, 'client_secret_post'],
    [['none'], { client_secret: 's', token_endpoint_auth_method: 'client_secret_post' }, 'client_secret_post'],
  ])('one registered where %j is supported and %j is answered uses %s', async (supported, answer, authMethod) => {
    const server = { ...REGISTERS, token_endpoint_auth_methods_supported: supported };
    expect((await run({ server, answer: { client_id: 'new', ...answer } })).client.authMethod).toBe(authMethod);
  });
});

describe('what goes wrong says what to do:', () => {
  test.each([
    [
      'no registration',
      {},
      undefined,
      'SIGN_IN_NEEDED',
      'as.example.com knows no dynamic registration: register a client there by hand, with a redirect to http://127.0.0.1:5000/callback (or another port, given by --callback-port), and set oauth.client_id (and oauth.client_secret_env, if it has a secret) in the entry of this server.',
    ],
    [
      'a refusal',
      REGISTERS,
      [400, '{"error":"invalid_redirect_uri","error_description":"no\\u001b[1m!"}', 'application/json'],
      'SIGN_IN_NEEDED',
      'as.example.com did not register a client for us: invalid_redirect_uri (no!). Register one there by hand and set oauth.client_id in the entry of this server.',
    ],
    [
      'a page',
      REGISTERS,
      [403, '<html>'],
      'SIGN_IN_NEEDED',
      'as.example.com did not register a client for us: HTTP status 403. Register one there by hand and set oauth.client_id in the entry of this server.',
    ],
    [
      'trouble',
      REGISTERS,
      [500, ''],
      'CONNECTION_CLOSED',
      'as.example.com answered with the HTTP status 500: try again later.',
    ],
    ['no id', REGISTERS, {}, 'BAD_ANSWER', 'as.example.com registered a client without giving its client_id.'],
    [
      'only keys',
      { ...REGISTERS, token_endpoint_auth_methods_supported: ['private_key_jwt'] },
      {},
      'SIGN_IN_NEEDED',
      'as.example.com wants clients to prove themselves by private_key_jwt, which is not supported here: set oauth.client_id in the entry of this server to a client that may use a secret or none.',
    ],
  ] as const)('%s', async (_, server, answer, code, message) => {
    await expect(run({ server, ...(answer === undefined ? {} : { answer }) })).rejects.toMatchObject({ code, message });
  });
});
