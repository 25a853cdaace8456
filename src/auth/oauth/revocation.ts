import * as oauth from 'oauth4webapi';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import type { OAuthClient } from './client-registration.ts';
import { clientAuth, requestOptions } from './request-options.ts';
import type { Tokens } from './token-requests.ts';

export interface RevocationOptions {
  readonly server: oauth.AuthorizationServer;
  readonly client: OAuthClient;
  readonly tokens: Pick<Tokens, 'accessToken' | 'refreshToken'>;
  readonly fetch: GuardedFetch;
  readonly signal?: AbortSignal;
}

/** Which tokens were revoked. */
export interface Revoked {
  readonly refreshToken: boolean;
  readonly accessToken: boolean;
}

export const NOTHING_REVOKED: Revoked = { refreshToken: false, accessToken: false };

/**
 * Revokes the tokens at the authorization server (RFC 7009), the long-lived refresh token first. Revokes each one
 * separately, because some servers revoke one kind only. Never throws: a sign-out must always succeed.
 */
export async function revokeTokens(options: RevocationOptions): Promise<Revoked> {
  const { server, tokens } = options;
  if (server.revocation_endpoint === undefined) return NOTHING_REVOKED;
  const refreshToken = await revokeToken('refresh_token', tokens.refreshToken, options);
  return { refreshToken, accessToken: await revokeToken('access_token', tokens.accessToken, options) };
}

async function revokeToken(
  hint: 'refresh_token' | 'access_token',
  token: string | undefined,
  { server, client, fetch, signal }: RevocationOptions,
): Promise<boolean> {
  if (token === undefined || token === '') return false;
  try {
    const sent = { ...requestOptions(fetch, signal), additionalParameters: { token_type_hint: hint } };
    const identity = { client_id: client.clientId };
    const response = await oauth.revocationRequest(server, identity, clientAuth(client), token, sent);
    await oauth.processRevocationResponse(response);
    return true;
  } catch {
    // The token is deleted locally in any case. The caller reports that it may still be valid at the server.
    return false;
  }
}
