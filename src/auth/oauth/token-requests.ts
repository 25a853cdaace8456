import * as oauth from 'oauth4webapi';
import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import type { OAuthClient } from './client-registration.ts';
import { toOAuthError } from './oauth-error.ts';
import { clientAuth, requestOptions, tokenHost } from './request-options.ts';

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Milliseconds since 1970; undefined if the server did not send it. */
  readonly expiresAt: number | undefined;
  readonly tokenType: string;
  readonly scope: string | undefined;
}

export interface RefreshOptions {
  readonly server: oauth.AuthorizationServer;
  readonly client: OAuthClient;
  readonly refreshToken: string;
  readonly resource: string;
  readonly scope?: string;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

/**
 * Exchanges a refresh token for new tokens. `SIGN_IN_NEEDED` means that the old ones are no longer valid
 * (`data.oauthError` says why). After `CONNECTION_CLOSED` and `TIMED_OUT` they may still be valid.
 */
export async function refreshTokens(options: RefreshOptions): Promise<Tokens> {
  const { server, client, refreshToken, resource, scope, fetch, now } = options;
  const host = tokenHost(server);
  try {
    const response = await oauth.refreshTokenGrantRequest(
      server,
      { client_id: client.clientId },
      clientAuth(client),
      refreshToken,
      {
        ...requestOptions(fetch, options.signal),
        additionalParameters: { resource, ...(scope === undefined ? {} : { scope }) },
      },
    );
    const answer = await oauth.processRefreshTokenResponse(server, { client_id: client.clientId }, response);
    const tokens = toTokens(answer, { now, scope, host });
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
  } catch (error) {
    const secrets = [refreshToken, client.clientSecret];
    throw toOAuthError(error, { doing: 'to refresh the token', host, secrets });
  }
}

/** Converts a token response. If the server does not name the granted scope, it is the requested one. */
export function toTokens(
  answer: oauth.TokenEndpointResponse,
  { now, scope, host }: { now: () => number; scope: string | undefined; host: string },
): Tokens {
  const { token_type: type, access_token: accessToken, expires_in: seconds } = answer;
  if (type !== 'bearer')
    throw new AppError(
      'BAD_ANSWER',
      `${host} issued a token of type ${oneLine(type, MAX_TYPE)}, but only bearer tokens are supported.`,
    );
  // The message must not contain any part of the token.
  if (!HEADER_SAFE.test(accessToken))
    throw new AppError('BAD_ANSWER', `${host} issued a token with characters that are not allowed in a request.`);
  return {
    accessToken,
    refreshToken: answer.refresh_token,
    expiresAt: seconds === undefined || seconds > MAX_LIFETIME_S ? undefined : now() + seconds * 1000,
    tokenType: 'Bearer',
    scope: answer.scope ?? scope,
  };
}

const MAX_TYPE = 40;
const HEADER_SAFE = /^[\x21-\x7e]+$/;
/** A hundred years. A longer lifetime means no expiry, and would exceed the range of dates. */
const MAX_LIFETIME_S = 100 * 366 * 24 * 60 * 60;
