import { isAppError } from '../../base/errors.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { NO_CHALLENGE } from '../discovery/challenge.ts';
import { discover } from '../discovery/discovery.ts';
import { isSameIssuer } from '../discovery/issuer.ts';
import { NOTHING_REVOKED, type Revoked, revokeTokens } from '../oauth/revocation.ts';
import { type AuthRecord, recordedClient } from '../store/auth-record.ts';
import type { AuthStore } from '../store/auth-store.ts';

export interface SignOutOptions {
  readonly serverId: string;
  readonly url: string;
  readonly settings?: OAuthSettings | undefined;
  readonly store: AuthStore;
  readonly fetch: GuardedFetch;
  /** Whether to revoke the tokens at the authorization server. Default: true. */
  readonly mustRevoke?: boolean;
}

export interface SignOutResult {
  readonly wasSignedIn: boolean;
  /** All tokens were revoked. */
  readonly revoked: boolean;
  /** The tokens that were revoked, if only some could be. */
  readonly revokedTokens?: readonly ('refresh_token' | 'access_token')[];
}

/** Deletes the sign-in regardless of its URL, even if the authorization server cannot be reached. */
export async function signOut(options: SignOutOptions): Promise<SignOutResult> {
  const record = await remove(options);
  const wasSignedIn = record?.accessToken !== undefined || record?.refreshToken !== undefined;
  if (record === undefined || !wasSignedIn || options.mustRevoke === false) return { wasSignedIn, revoked: false };
  // The record is already deleted: a failure here only means that the tokens were not revoked.
  const { refreshToken, accessToken } = await revoke(options, record).catch(() => NOTHING_REVOKED);
  const isRefreshLeft = record.refreshToken !== undefined && !refreshToken;
  const isAccessLeft = record.accessToken !== undefined && !accessToken;
  if (!isRefreshLeft && !isAccessLeft) return { wasSignedIn, revoked: true };
  if (!refreshToken && !accessToken) return { wasSignedIn, revoked: false };
  return { wasSignedIn, revoked: false, revokedTokens: [refreshToken ? 'refresh_token' : 'access_token'] };
}

async function remove({ serverId, store }: SignOutOptions): Promise<AuthRecord | undefined> {
  let record: AuthRecord | undefined;
  const work = () =>
    store.update(serverId, (stored) => {
      record = stored;
      return undefined;
    });
  try {
    // Wait for a pending refresh, so that its new tokens are revoked too.
    await store.runExclusive(serverId, async () => work());
  } catch (error) {
    if (!isAppError(error) || error.code !== 'BUSY') throw error;
    work();
  }
  return record;
}

async function revoke({ settings, fetch }: SignOutOptions, record: AuthRecord): Promise<Revoked> {
  const { accessToken, refreshToken, expiresAt, tokenType = 'Bearer', scope } = record;
  const client = recordedClient(record, settings);
  const server = record.discovery ?? (await findServer(record, settings, fetch));
  if (client === undefined || server === undefined || !isSameIssuer(server.issuer, record.issuer))
    return NOTHING_REVOKED;
  const tokens = { accessToken: accessToken ?? '', refreshToken, expiresAt, tokenType, scope };
  return revokeTokens({ server, client, tokens, fetch });
}

async function findServer(record: AuthRecord, settings: OAuthSettings | undefined, fetch: GuardedFetch) {
  if (record.url === undefined) return undefined;
  return (await discover(record.url, { challenge: NO_CHALLENGE, settings, fetch }))?.server;
}
