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

describe('client selection', () => {
  const server = { ...REGISTERS, client_id_metadata_document_supported: true };
  const all = { server, stored: STORED, metadataUrl: CIMD, answer: { client_id: 'new' } };

  test('prefers the client from the config', async () => {
    const { client, sent } = await run({ ...all, settings: { clientId: 'mine' } });
    expect(client).toEqual({ clientId: 'mine', clientSecret: undefined, authMethod: 'none', registration: 'static' });
    expect(sent).toEqual([]);
  });

  test('otherwise reuses the registered client', async () => {
    expect((await run(all)).client).toEqual({
      clientId: 'old',
      clientSecret: undefined,
      authMethod: 'none',
      registration: 'dcr',
    });
  });

  test.each([
    ['a different issuer', { issuer: 'https://other.example' }],
    ['a different redirect URI', { redirectUri: 'http://127.0.0.1:5001/callback/x' }],
    ['no redirect URI', { redirectUri: undefined }],
    ['a config that no longer names it', { registration: 'static' as const }],
  ])('uses the metadata document, if supported, instead of a stored client with %s', async (_, change) => {
    const { client, sent } = await run({ ...all, stored: { ...STORED, ...change } });
    expect(client).toEqual({ clientId: CIMD, clientSecret: undefined, authMethod: 'none', registration: 'cimd' });
    expect(sent).toEqual([]);
  });

  test('otherwise registers a new native client', async () => {
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

describe('the authentication method depends on the server:', () => {
  test.each([
    [undefined, 'client_secret_basic'],
    [['client_secret_post', 'client_secret_basic'], 'client_secret_basic'],
    [['client_secret_post'], 'client_secret_post'],
    [['none'], 'client_secret_basic'],
  ])('a configured secret with supported methods %j uses %s', async (supported, authMethod) => {
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
  ])('a registration with supported methods %j and response %j uses %s', async (supported, answer, authMethod) => {
    const server = { ...REGISTERS, token_endpoint_auth_methods_supported: supported };
    expect((await run({ server, answer: { client_id: 'new', ...answer } })).client.authMethod).toBe(authMethod);
  });
});

describe('a registration error tells the user what to do:', () => {
  test.each([
    [
      'no dynamic registration',
      {},
      undefined,
      'SIGN_IN_NEEDED',
      'as.example.com does not support dynamic client registration: register a client there manually, with a redirect to http://127.0.0.1:5000/callback (or another port, set with --callback-port), and set oauth.client_id (and oauth.client_secret_env if it has a secret) in the entry of this server.',
    ],
    [
      'a refusal',
      REGISTERS,
      [400, '{"error":"invalid_redirect_uri","error_description":"no\\u001b[1m!"}', 'application/json'],
      'SIGN_IN_NEEDED',
      'as.example.com did not register a client: invalid_redirect_uri (no!). Register one there manually and set oauth.client_id in the entry of this server.',
    ],
    [
      'a web page',
      REGISTERS,
      [403, '<html>'],
      'SIGN_IN_NEEDED',
      'as.example.com did not register a client: HTTP status 403. Register one there manually and set oauth.client_id in the entry of this server.',
    ],
    [
      'a server error',
      REGISTERS,
      [500, ''],
      'CONNECTION_CLOSED',
      'as.example.com returned HTTP status 500: try again later.',
    ],
    [
      'no id',
      REGISTERS,
      {},
      'BAD_ANSWER',
      'as.example.com registered a client but did not return its client_id. Register one there manually and set oauth.client_id in the entry of this server.',
    ],
    [
      'only private_key_jwt',
      { ...REGISTERS, token_endpoint_auth_methods_supported: ['private_key_jwt'] },
      {},
      'SIGN_IN_NEEDED',
      'as.example.com requires clients to authenticate with private_key_jwt, which is not supported: set oauth.client_id in the entry of this server to a client that authenticates with a secret or not at all.',
    ],
  ] as const)('%s', async (_, server, answer, code, message) => {
    await expect(run({ server, ...(answer === undefined ? {} : { answer }) })).rejects.toMatchObject({ code, message });
  });
});
