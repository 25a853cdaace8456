import { AppError } from '../../base/errors.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { isSameIssuer } from '../discovery/issuer.ts';
import { registerClient } from './dynamic-registration.ts';

/** Our identity at an authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly authMethod: AuthMethod;
  readonly registration: 'static' | 'cimd' | 'dcr';
}

export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

export interface StoredClient extends OAuthClient {
  readonly issuer: string;
  readonly redirectUri: string | undefined;
}

export interface ClientOptions {
  readonly discovery: Discovery;
  readonly settings: OAuthSettings | undefined;
  readonly stored: StoredClient | undefined;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  /** URL of our own client metadata document, if it is published. */
  readonly metadataUrl: string | undefined;
  readonly fetch: GuardedFetch;
  readonly signal?: AbortSignal;
}

/**
 * Returns the client to sign in with: the one in the config, else the one registered before, else our metadata document
 * if the server supports it, else a newly registered one. A client of one authorization server is never sent to
 * another.
 */
export async function obtainClient(options: ClientOptions): Promise<OAuthClient> {
  const { discovery, settings, stored, metadataUrl } = options;
  const { server } = discovery;
  if (settings?.clientId !== undefined) return staticClient(settings.clientId, settings.clientSecret, server);
  if (stored !== undefined && isReusable(stored, options)) return toClient(stored);
  if (metadataUrl !== undefined && server.client_id_metadata_document_supported === true)
    return { clientId: metadataUrl, clientSecret: undefined, authMethod: 'none', registration: 'cimd' };
  if (server.registration_endpoint !== undefined) return registerClient(server.registration_endpoint, options);
  const { host } = new URL(server.authorization_endpoint ?? server.issuer);
  throw new AppError(
    'SIGN_IN_NEEDED',
    `${host} does not support dynamic client registration: register a client there manually, with a redirect to ${redirectAdvice(options)}, ` +
      'and set oauth.client_id (and oauth.client_secret_env if it has a secret) in the entry of this server.',
  );
}

type Server = Discovery['server'];

function staticClient(clientId: string, clientSecret: string | undefined, server: Server): OAuthClient {
  if (clientSecret === undefined) return { clientId, clientSecret, authMethod: 'none', registration: 'static' };
  // RFC 8414 defines client_secret_basic as the default.
  const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const postOnly = supported.includes('client_secret_post') && !supported.includes('client_secret_basic');
  const authMethod = postOnly ? 'client_secret_post' : 'client_secret_basic';
  return { clientId, clientSecret, authMethod, registration: 'static' };
}

/**
 * Returns whether the stored client can be reused. Servers compare redirect URIs character by character, many including
 * the port.
 */
function isReusable(stored: StoredClient, { discovery, redirectUri }: ClientOptions): boolean {
  if (stored.registration !== 'dcr' || !isSameIssuer(stored.issuer, discovery.server.issuer)) return false;
  return stored.redirectUri === redirectUri;
}

function toClient({ clientId, clientSecret, authMethod, registration }: OAuthClient): OAuthClient {
  return { clientId, clientSecret, authMethod, registration };
}

function redirectAdvice({ redirectUri }: ClientOptions): string {
  const { origin } = new URL(redirectUri);
  // A client from the config always uses this path; the port can be chosen.
  return `${origin}/callback (or another port, set with --callback-port)`;
}
