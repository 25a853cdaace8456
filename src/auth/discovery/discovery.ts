import type { AuthorizationServer } from 'oauth4webapi';
import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { isInsecureHttp } from '../../net/url-policy.ts';
import type { Challenge } from './challenge.ts';
import { findProtectedResource, type ProtectedResource } from './protected-resource.ts';
import { findServerMetadata } from './server-metadata.ts';

/** The authorization server of an MCP server, and the resource and scopes to request. */
export interface Discovery {
  /** The authorization server, with the checked metadata that we use. */
  readonly server: AuthorizationServer;
  /** RFC 8707 `resource` for which tokens are requested. */
  readonly resource: string;
  /** `scopes_supported` of the protected resource. */
  readonly scopesSupported: readonly string[] | undefined;
  /**
   * All endpoints come from the config and nothing was fetched. The issuer is only derived, so no `iss` is compared.
   */
  readonly isConfigured: boolean;
}

export interface DiscoveryOptions {
  readonly challenge: Challenge;
  readonly settings: OAuthSettings | undefined;
  readonly fetch: GuardedFetch;
}

/**
 * Finds the authorization server of an MCP server: in its protected resource metadata, else at its own origin, as in
 * version 2025-03-26 of the protocol. Returns undefined if there is no OAuth metadata, so no sign-in is offered, or if
 * it would come over http, where anyone can forge it. Endpoints in the config replace discovered ones. If the config
 * has both the authorization and the token URL, nothing is fetched. Throws if the metadata is invalid or cannot be
 * fetched.
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
  const issuer = resource?.authorizationServer;
  const server = await findServerMetadata({ issuer: issuer ?? new URL(url).origin, configuredUrl: url, fetch });
  if (server !== undefined || issuer === undefined) return server;
  throw new AppError(
    'BAD_ANSWER',
    `The server at ${new URL(url).host} names ${oneLine(issuer, 200)} as its authorization server, which publishes no ` +
      'metadata. If you know its endpoints, set oauth.authorization_url and oauth.token_url in the entry.',
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

/**
 * Removes the fragment, which is not part of a resource. The rest stays as configured, because servers compare it
 * character by character.
 */
function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}
