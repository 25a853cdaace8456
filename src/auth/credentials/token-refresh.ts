import type { AuthorizationServer } from 'oauth4webapi';
import { AppError, isAppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import { isUndelivered } from '../../net/connection-error.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { isInsecureHttp } from '../../net/url-policy.ts';
import { type Challenge, NO_CHALLENGE } from '../discovery/challenge.ts';
import { discover } from '../discovery/discovery.ts';
import { isSameIssuer } from '../discovery/issuer.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import { refreshTokens, type Tokens } from '../oauth/token-requests.ts';
import { noSignInOffered, signInNeeded } from '../sign-in/sign-in-errors.ts';
import { type AuthRecord, recordedClient, withoutClient, withoutTokens, withTokens } from '../store/auth-record.ts';
import type { AuthStore } from '../store/auth-store.ts';
import { hasSameTokens } from '../store/unsaved-tokens.ts';

/** The sign-in of one server, with everything needed to refresh it. */
export interface SignInContext {
  readonly serverId: string;
  readonly url: string;
  readonly settings: OAuthSettings | undefined;
  readonly store: AuthStore;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

interface RefreshRequest {
  /** Returns whether these are still the tokens to replace. */
  readonly isCurrent: (record: AuthRecord) => boolean;
  /**
   * Challenge with which the server rejected the tokens, with the scopes to request. Undefined: they are only about to
   * expire.
   */
  readonly challenge: Challenge | undefined;
}

/**
 * Replaces the stored tokens with their refresh token. One process refreshes at a time, and only tokens that no other
 * process has replaced meanwhile. Throws `SIGN_IN_NEEDED` if they can no longer be refreshed; they are then deleted,
 * unless they have changed in the store. All other errors leave them unchanged.
 */
export function refreshStoredTokens(context: SignInContext, { isCurrent, challenge }: RefreshRequest): Promise<void> {
  const { serverId, url, store, now } = context;
  return store.runExclusive(serverId, async () => {
    await store.flushUnsaved(serverId);
    const record = store.read(serverId, url);
    if (record?.refreshToken === undefined || !isCurrent(record)) return;
    const client = recordedClient(record, context.settings);
    const isOther = client?.registration === 'static' && client.clientId !== context.settings?.clientId;
    if (client === undefined || isOther)
      throw signInNeeded(context, {
        reason: 'the OAuth client in the config is not the one used for the last sign-in',
        scope: challenge?.scope,
      });
    const tokens = await requestTokens(context, { record, client, challenge });
    const updatedAt = now();
    if (tokens !== undefined)
      await store.saveTokens(serverId, { replaced: record, apply: (stored) => withTokens(stored, tokens, updatedAt) });
  });
}

/**
 * Runs the discovery again. Throws if the authorization server has changed. It then deletes the tokens and the client
 * of the old one, because no other server may see them.
 */
export async function checkIssuer(context: SignInContext, record: AuthRecord, challenge: Challenge): Promise<void> {
  await updateIfCurrent(context, record, (stored) => ({ ...stored, discovery: undefined }));
  await rediscover(context, record, challenge);
}

/** Records in the store that the server rejects new tokens. Otherwise every process would find out by refreshing. */
export async function recordRejections(context: SignInContext, record: AuthRecord): Promise<void> {
  await updateIfCurrent(context, record, (stored) => ({ ...stored, rejectedAt: context.now() }));
}

/**
 * Returns the error for a rejected request. It names the sign-in command, with the scopes of the challenge, or says
 * that the server offers no sign-in.
 */
export async function explainRejection(context: SignInContext, challenge: Challenge): Promise<AppError> {
  const { serverId, url, settings, store, fetch } = context;
  const found = await discover(url, { challenge, settings, fetch });
  return found === undefined
    ? noMetadataError(context, challenge)
    : signInNeeded(context, { reason: store.ignoredReason(serverId, url), scope: challenge.scope });
}

interface TokenRequest {
  readonly record: AuthRecord;
  readonly client: OAuthClient;
  readonly challenge: Challenge | undefined;
}

/** Requests new tokens. Returns undefined if another process has replaced or removed the old ones meanwhile. */
async function requestTokens(
  context: SignInContext,
  { record, client, challenge }: TokenRequest,
): Promise<Tokens | undefined> {
  const { url, fetch, now } = context;
  const { refreshToken = '', resource = url } = record;
  try {
    const server = await resolveServer(context, record, challenge);
    // Many refresh tokens work only once. So the token is sent only after the store has proved writable and the file
    // records that a refresh has started. A process that finds this record, because the previous one was killed, tries
    // the token again.
    const isMarked = await updateIfCurrent(context, record, (stored) => ({ ...stored, refreshStartedAt: now() }));
    if (!isMarked) return undefined;
    return await refreshTokens({ server, client, refreshToken, resource, fetch, now });
  } catch (error) {
    await handleFailure(context, { record, challenge, error });
    return undefined;
  }
}

async function resolveServer(
  context: SignInContext,
  record: AuthRecord,
  challenge: Challenge | undefined,
): Promise<AuthorizationServer> {
  const isConfigured = context.settings?.authorizationUrl !== undefined && context.settings.tokenUrl !== undefined;
  const { discovery, issuer } = record;
  if (!isConfigured && discovery !== undefined && isSameIssuer(discovery.issuer, issuer)) return discovery;
  return rediscover(context, record, challenge ?? NO_CHALLENGE);
}

async function rediscover(
  context: SignInContext,
  record: AuthRecord,
  challenge: Challenge,
): Promise<AuthorizationServer> {
  const { url, settings, fetch, now } = context;
  const found = await discover(url, { challenge, settings, fetch });
  if (found === undefined) throw noMetadataError(context, challenge);
  if (!isSameIssuer(found.server.issuer, record.issuer)) {
    await updateIfCurrent(context, record, (stored) => withoutClient(stored, now()));
    const reason = 'its authorization server has changed since the last sign-in';
    throw signInNeeded(context, { reason, scope: challenge.scope });
  }
  await updateIfCurrent(context, record, (stored) => ({ ...stored, discovery: found.server }));
  return found.server;
}

/**
 * Returns the error for missing metadata. A server that names a metadata URL intends to offer a sign-in, whatever that
 * URL returns.
 */
function noMetadataError(context: SignInContext, { resourceMetadata }: Challenge): AppError {
  const { serverId, url } = context;
  if (resourceMetadata === undefined || isInsecureHttp(new URL(url))) return noSignInOffered(context);
  const { host } = new URL(url);
  const { origin, pathname } = new URL(resourceMetadata, url);
  const problem = `${quoteIfNeeded(serverId)} (${host}) answered 401 and points to its OAuth metadata at ${origin}${pathname}`;
  const advice = 'contact its operator, or set oauth.authorization_url and oauth.token_url in its entry';
  return new AppError('BAD_ANSWER', `${problem}, but none exists there: ${advice}.`, { data: { server: serverId } });
}

interface RefreshFailure {
  readonly record: AuthRecord;
  readonly challenge: Challenge | undefined;
  readonly error: unknown;
}

/** Errors after which the tokens are useless. Others, such as `temporarily_unavailable`, may pass. */
const FINAL_ERRORS: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/** Handles a failed refresh. Throws, unless another process has stored other tokens meanwhile. */
async function handleFailure(context: SignInContext, { record, challenge, error }: RefreshFailure): Promise<void> {
  if (!isAppError(error)) throw error;
  const oauthError = error.data?.['oauthError'];
  // Our own error from `rediscover`, not a response of the token endpoint.
  if (error.code === 'SIGN_IN_NEEDED' && oauthError === undefined) throw error;
  if (typeof oauthError !== 'string' || !FINAL_ERRORS.has(oauthError)) {
    const { refreshStartedAt } = record;
    const mark = mayHaveRotated(error) ? {} : { refreshStartedAt };
    // The endpoints may have moved, so the next refresh discovers them again.
    await updateIfCurrent(context, record, (stored) => ({ ...stored, ...mark, discovery: undefined }));
    if (challenge !== undefined) await rediscover(context, record, challenge);
    throw oauthError === undefined
      ? error
      : new AppError('CONNECTION_CLOSED', error.message, { data: error.data ?? {} });
  }
  const isClientGone = oauthError !== 'invalid_grant' && record.registration !== 'static';
  const forget = isClientGone ? withoutClient : withoutTokens;
  const isChanged = await updateIfCurrent(context, record, (stored) => forget(stored, context.now()));
  const wasInterrupted = oauthError === 'invalid_grant' && record.refreshStartedAt !== undefined;
  const reason = wasInterrupted ? INTERRUPTED : 'the last sign-in has expired or was revoked';
  if (isChanged) throw signInNeeded(context, { reason, scope: challenge?.scope });
}

const INTERRUPTED =
  'its last token refresh was interrupted before the new tokens were stored, and the old ones are no longer accepted';

/** Returns whether the server may have processed the request although its tokens did not arrive. */
function mayHaveRotated({ code, data, cause }: AppError): boolean {
  const isRejected = data?.['oauthError'] !== undefined || code === 'DENIED';
  const isRateLimited = data?.['status'] === 429 || data?.['status'] === 503;
  const isNotSent = cause instanceof Error && isUndelivered(cause);
  return !isRejected && !isRateLimited && !isNotSent;
}

/** Updates the record only if its tokens are still the known ones: someone may have signed in or out. */
async function updateIfCurrent(
  context: SignInContext,
  record: AuthRecord,
  make: (stored: AuthRecord) => AuthRecord,
): Promise<boolean> {
  let isChanged = false;
  await context.store.updateAsync(context.serverId, (stored) => {
    if (!hasSameTokens(stored, record)) return stored;
    isChanged = true;
    return make(stored);
  });
  return isChanged;
}
