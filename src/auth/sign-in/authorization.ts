import * as oauth from 'oauth4webapi';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { checkUrl } from '../../net/url-policy.ts';
import type { Discovery } from '../discovery/discovery.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import { toOAuthError } from '../oauth/oauth-error.ts';
import { clientAuth, requestOptions, tokenHost } from '../oauth/request-options.ts';
import { type Tokens, toTokens } from '../oauth/token-requests.ts';
import { checkAuthorizationResponse } from './authorization-response.ts';

/** A sign-in that waits for the user. Only `url` may be shown. */
export interface PendingAuthorization {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly scope: string | undefined;
}

export interface BeginOptions {
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly configuredUrl: string;
}

/** Builds the URL at which the user agrees: authorization code with PKCE (S256), `state` and `resource`. */
export async function beginAuthorization(options: BeginOptions): Promise<PendingAuthorization> {
  const { discovery, client, redirectUri, scope, configuredUrl } = options;
  const { server, resource } = discovery;
  const url = checkUrl(server.authorization_endpoint ?? '', configuredUrl);
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const parameters: Readonly<Record<string, string>> = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scope === undefined ? {} : { scope }),
    // OpenID Connect grants offline_access only after explicit consent.
    ...(scope?.split(' ').includes('offline_access') === true ? { prompt: 'consent' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  url.hash = '';
  return { url: checkUrl(url.href, configuredUrl).href, state, verifier, redirectUri, scope };
}

export interface FinishOptions {
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly pending: PendingAuthorization;
  /** The callback URL to which the browser was redirected. */
  readonly callback: URL;
  readonly fetch: GuardedFetch;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
}

/** Checks the callback and exchanges its code. No content of the callback is shown before its origin is verified. */
export async function finishAuthorization(options: FinishOptions): Promise<Tokens> {
  const { discovery, client, pending, fetch, now = Date.now } = options;
  const { server, resource } = discovery;
  const parameters = checkAuthorizationResponse(options);
  const identity = { client_id: client.clientId };
  const host = tokenHost(server);
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      identity,
      clientAuth(client),
      oauth.validateAuthResponse(server, identity, parameters, pending.state),
      pending.redirectUri,
      pending.verifier,
      { ...requestOptions(fetch, options.signal), additionalParameters: { resource } },
    );
    const answer = await oauth.processAuthorizationCodeResponse(server, identity, response);
    return toTokens(answer, { now, scope: pending.scope, host });
  } catch (error) {
    const code = options.callback.searchParams.get('code') ?? undefined;
    const secrets = [code, pending.verifier, client.clientSecret];
    throw toOAuthError(error, { doing: 'to exchange the authorization code', host, secrets });
  }
}
