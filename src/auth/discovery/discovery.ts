import type { AuthorizationServer } from 'oauth4webapi';
import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { isInsecureHttp } from '../../net/url-policy.ts';
import type { Challenge } from './challenge.ts';
import { findProtectedResource, type ProtectedResource } from './protected-resource.ts';
import { findServerMetadata } from './server-metadata.ts';

/** Where and for what to sign in. */
export interface Discovery {
  /** The authorization server, with what was checked and is used of its metadata. */
  readonly server: AuthorizationServer;
  /** What tokens are asked for: RFC 8707 `resource`. */
  readonly resource: string;
  /** `scopes_supported` of the protected resource. */
  readonly scopesSupported: readonly string[] | undefined;
  /** All endpoints came from the config and nothing was fetched; its issuer is only derived, and no `iss` is compared. */
  readonly isConfigured: boolean;
}

export interface DiscoveryOptions {
  readonly challenge: Challenge;
  readonly settings: OAuthSettings | undefined;
  readonly fetch: GuardedFetch;
}

/**
 * Finds the authorization server of an MCP server: from its protected resource metadata, else at its own origin, as
 * servers of 2025-03-26 had it. Undefined: there are no OAuth metadata, so no sign-in is offered; or they would come over
 * http, where anybody can write them. Endpoints in the config are used in place of found ones; with both the authorization and the token URL nothing is fetched at all.
 * Throws when something is wrong with what was found, or when it could not be found out.
 */
export async function discover(url: string, options: DiscoveryOptions): Promise<Discovery | undefined> {
  const { settings, challenge, fetch } = options;
  const configured = configuredServer(settings);
  if (configured !== undefined)
    return { server: configured, resource: withoutFragment(url), scopesSupported: undefined, isConfigured: true };
  if (isInsecureHttp(new URL(url))) return undefined;
  const resource = await findProtectedResource(url, challenge, fetch);
  const server = await findServer(url, resource, fetch);
  if (server === undefined) return undefined;
  return {
    server: withSettings(server, settings),
    resource: resource?.resource ?? withoutFragment(url),
    scopesSupported: resource?.scopesSupported,
    isConfigured: false,
  };
}

function configuredServer(settings: OAuthSettings | undefined): AuthorizationServer | undefined {
  const { authorizationUrl, tokenUrl } = settings ?? {};
  if (authorizationUrl === undefined || tokenUrl === undefined) return undefined;
  const issuer = URL.canParse(tokenUrl) ? new URL(tokenUrl).origin : tokenUrl;
  return withSettings({ issuer, code_challenge_methods_supported: ['S256'] }, settings);
}

async function findServer(
  url: string,
  resource: ProtectedResource | undefined,
  fetch: GuardedFetch,
): Promise<AuthorizationServer | undefined> {
  const named = resource?.authorizationServer;
  const server = await findServerMetadata({ issuer: named ?? new URL(url).origin, configuredUrl: url, fetch });
  if (server !== undefined || named === undefined) return server;
  throw new AppError(
    'BAD_ANSWER',
    `The server at ${new URL(url).host} names ${oneLine(named, 200)} as its authorization server, which publishes no ` +
      'metadata. If you know its addresses, set oauth.authorization_url and oauth.token_url in the entry.',
  );
}

function withSettings(server: AuthorizationServer, settings: OAuthSettings | undefined): AuthorizationServer {
  const { authorizationUrl, tokenUrl, registrationUrl } = settings ?? {};
  return {
    ...server,
    ...(authorizationUrl === undefined ? {} : { authorization_endpoint: authorizationUrl }),
    ...(tokenUrl === undefined ? {} : { token_endpoint: tokenUrl }),
    ...(registrationUrl === undefined ? {} : { registration_endpoint: registrationUrl }),
  };
}

/** As configured, because others compare it letter by letter; a fragment is no part of it. */
function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}
