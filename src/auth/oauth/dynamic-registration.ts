import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { Discovery } from '../discovery/discovery.ts';
import type { AuthMethod, ClientOptions, OAuthClient } from './client-registration.ts';
import { parseJsonObject, throwIfBusy } from './response-body.ts';

/**
 * Registers us as a client (RFC 7591). Accepts responses that oauth4webapi rejects: status 200 in place of 201, and a
 * secret without an expiry date.
 */
export async function registerClient(endpoint: string, options: ClientOptions): Promise<OAuthClient> {
  const { host } = new URL(endpoint);
  const wanted = chooseMethod(options.discovery, host);
  const response = await options.fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(metadataOf(options, wanted)),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  throwIfBusy(response.status, endpoint);
  // Missing members are reported by name.
  const body = parseJsonObject(await response.text()) ?? {};
  if (!response.ok) throw registrationRefused({ host, scope: options.scope }, body, response.status);
  return toClient(body, wanted, host);
}

/**
 * Chooses the authentication method. A program on a user's machine cannot keep a secret, so `none` is preferred; some
 * servers require one.
 */
function chooseMethod({ server }: Discovery, host: string): AuthMethod {
  const supported = server.token_endpoint_auth_methods_supported;
  if (supported === undefined) return 'none';
  const method = METHODS.find((candidate) => supported.includes(candidate));
  if (method !== undefined) return method;
  throw new AppError(
    'SIGN_IN_NEEDED',
    `${host} requires clients to authenticate with ${oneLine(supported.join(', '), 100)}, which is not supported: ` +
      'set oauth.client_id in the entry of this server to a client that authenticates with a secret or not at all.',
  );
}

const METHODS: readonly AuthMethod[] = ['none', 'client_secret_basic', 'client_secret_post'];

function metadataOf({ discovery, redirectUri, scope }: ClientOptions, method: AuthMethod): object {
  const scopes = new Set([...(scope?.split(' ') ?? []), ...(discovery.scopesSupported ?? [])]);
  const hasDevice = discovery.server.device_authorization_endpoint !== undefined;
  return {
    client_name: 'Switchboard',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token', ...(hasDevice ? [DEVICE_GRANT] : [])],
    response_types: ['code'],
    application_type: 'native',
    token_endpoint_auth_method: method,
    // All scopes that may be requested later: some servers restrict a client to the scopes of its registration.
    ...(scopes.size === 0 ? {} : { scope: [...scopes].join(' ') }),
  };
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

function toClient(body: Readonly<Record<string, unknown>>, wanted: AuthMethod, host: string): OAuthClient {
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: given } = body;
  if (typeof clientId !== 'string' || clientId === '')
    throw new AppError(
      'BAD_ANSWER',
      `${host} registered a client but did not return its client_id. Register one there manually and set oauth.client_id in the entry of this server.`,
    );
  const clientSecret = typeof secret === 'string' && secret !== '' ? secret : undefined;
  const authMethod = METHODS.find((method) => method === given) ?? wanted;
  if (clientSecret === undefined && authMethod !== 'none')
    throw new AppError(
      'BAD_ANSWER',
      `${host} registered a client that needs a secret but did not return the secret. Register one there manually and set oauth.client_id in the entry of this server.`,
    );
  return { clientId, clientSecret, authMethod, registration: 'dcr' };
}

interface RegistrationRequest {
  readonly host: string;
  readonly scope: string | undefined;
}

function registrationRefused(
  { host, scope }: RegistrationRequest,
  body: Readonly<Record<string, unknown>>,
  status: number,
): AppError {
  const scopes = scope === undefined ? '' : ` with the scopes ${oneLine(scope, 200)}`;
  const error = typeof body['error'] === 'string' ? oneLine(body['error'], 60) : undefined;
  const description = typeof body['error_description'] === 'string' ? oneLine(body['error_description'], 200) : '';
  const why =
    error === undefined ? `HTTP status ${status}` : `${error}${description === '' ? '' : ` (${description})`}`;
  return new AppError(
    'SIGN_IN_NEEDED',
    `${host} did not register a client${scopes}: ${why}. Register one there manually and set oauth.client_id in the entry ` +
      'of this server.',
    { data: { oauthError: error } },
  );
}
