import * as oauth from 'oauth4webapi';
import type { OAuthClient } from './client-registration.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { clientAuth, requestOptions } from './oauth-requests.ts';
import type { Tokens } from './token-requests.ts';

export interface RevocationOptions {
  readonly server: oauth.AuthorizationServer;
  readonly client: OAuthClient;
  readonly tokens: Pick<Tokens, 'accessToken' | 'refreshToken'>;
  readonly fetch: GuardedFetch;
  readonly signal?: AbortSignal;
}

/**
 * Tells the authorization server that the tokens are used no more (RFC 7009), the lasting one first. False: it offers no
 * such thing, cannot be reached or refused. Never throws: who signs out must get out.
 */
export async function revokeTokens(options: RevocationOptions): Promise<boolean> {
  const { server, client, tokens, fetch } = options;
  if (server.revocation_endpoint === undefined) return false;
  const identity = { client_id: client.clientId };
  const named = [
    ['refresh_token', tokens.refreshToken],
    ['access_token', tokens.accessToken],
  ] as const;
  try {
    for (const [hint, token] of named) {
      if (token === undefined) continue;
      const sent = { ...requestOptions(fetch, options.signal), additionalParameters: { token_type_hint: hint } };
      const response = await oauth.revocationRequest(server, identity, clientAuth(client), token, sent);
      await oauth.processRevocationResponse(response);
    }
    return true;
  } catch {
    // The tokens are deleted here in any case; the caller says that they may live on over there.
    return false;
  }
}
