import type { AuthorizationServer } from 'oauth4webapi';
import { AppError, isAppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import { isUndelivered } from '../../net/connection-error.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { isInsecureHttp } from '../../net/url-policy.ts';
import type { Challenge } from '../discovery/challenge.ts';
import { discover } from '../discovery/discovery.ts';
import { isSameIssuer } from '../discovery/issuer.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import { refreshTokens, type Tokens } from '../oauth/token-requests.ts';
import { noSignInOffered, signInNeeded } from '../sign-in/sign-in-errors.ts';
import { type AuthRecord, recordedClient, withoutClient, withoutTokens, withTokens } from '../store/auth-record.ts';
import type { AuthStore } from '../store/auth-store.ts';
import { hasSameTokens } from '../store/unsaved-tokens.ts';

/** The login that is looked after. */
export interface LoginContext {
  readonly serverId: string;
  readonly url: string;
  readonly settings: OAuthSettings | undefined;
  readonly store: AuthStore;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

interface RefreshRequest {
  /** Whether these are still the tokens that somebody wants replaced. */
  readonly isCurrent: (record: AuthRecord) => boolean;
  /** What the server said when it refused them, with the scopes to ask for. Undefined: it did not, they are merely old. */
  readonly challenge: Challenge | undefined;
}

/**
 * Replaces tokens by their refresh token: one process at a time, and only what nobody else has replaced meanwhile.
 * Throws `SIGN_IN_NEEDED` when they cannot be renewed any more; they are deleted then, if they are still the stored ones.
 * Whatever else goes wrong leaves them as they are.
 */
export function refreshStoredTokens(login: LoginContext, { isCurrent, challenge }: RefreshRequest): Promise<void> {
  const { serverId, url, store, now } = login;
  return store.runExclusive(serverId, async () => {
    await store.flushUnsaved(serverId);
    const record = store.read(serverId, url);
    if (record?.refreshToken === undefined || !isCurrent(record)) return;
    const client = recordedClient(record, login.settings);
    const isOther = client?.registration === 'static' && client.clientId !== login.settings?.clientId;
    if (client === undefined || isOther)
      throw signInNeeded(login, {
        reason: 'the client of the last sign-in is not the one of the config',
        scope: challenge?.scope,
      });
    const tokens = await requestTokens(login, { record, client, challenge });
    const updatedAt = now();
    if (tokens !== undefined)
      await store.saveTokens(serverId, { replaced: record, apply: (stored) => withTokens(stored, tokens, updatedAt) });
  });
}

/**
 * Asks again who gives out tokens for this server. Throws when that is somebody else than the one who gave ours: they,
 * and our name there, are forgotten, because nobody else may see them.
 */
export async function checkIssuer(login: LoginContext, record: AuthRecord, challenge: Challenge): Promise<void> {
  await updateIfCurrent(login, record, (stored) => ({ ...stored, discovery: undefined }));
  await rediscover(login, record, challenge);
}

/** All processes are told, until somebody signs in: each would otherwise find it out by renewing. */
export async function recordRejections(login: LoginContext, record: AuthRecord): Promise<void> {
  await updateIfCurrent(login, record, (stored) => ({ ...stored, refusedAt: login.now() }));
}

/**
 * What to tell somebody whose request was refused: which command signs in, with the scopes of the challenge, or that there
 * is nothing to sign in to.
 */
export async function explainRejection(login: LoginContext, challenge: Challenge): Promise<AppError> {
  const { serverId, url, settings, store, fetch } = login;
  const found = await discover(url, { challenge, settings, fetch });
  return found === undefined
    ? noMetadataError(login, challenge)
    : signInNeeded(login, { reason: store.whyIgnored(serverId, url), scope: challenge.scope });
}

interface TokenRequest {
  readonly record: AuthRecord;
  readonly client: OAuthClient;
  readonly challenge: Challenge | undefined;
}

/** Undefined if another process has replaced or removed the tokens meanwhile. */
async function requestTokens(
  login: LoginContext,
  { record, client, challenge }: TokenRequest,
): Promise<Tokens | undefined> {
  const { url, fetch, now } = login;
  const { refreshToken = '', resource = url } = record;
  try {
    const server = await resolveServer(login, record, challenge);
    // Many refresh tokens work once. So the token is not sent before the store is writable and the file records that a
    // refresh has started. A process that finds this record, because the previous one was killed, tries the token again.
    const isMarked = await updateIfCurrent(login, record, (stored) => ({ ...stored, refreshStartedAt: now() }));
    if (!isMarked) return undefined;
    return await refreshTokens({ server, client, refreshToken, resource, fetch, now });
  } catch (error) {
    await handleFailure(login, { record, challenge, error });
    return undefined;
  }
}

const NO_CHALLENGE: Challenge = { resourceMetadata: undefined, scope: undefined, error: undefined };

async function resolveServer(
  login: LoginContext,
  record: AuthRecord,
  challenge: Challenge | undefined,
): Promise<AuthorizationServer> {
  const isConfigured = login.settings?.authorizationUrl !== undefined && login.settings.tokenUrl !== undefined;
  const { discovery, issuer } = record;
  if (!isConfigured && discovery !== undefined && isSameIssuer(discovery.issuer, issuer)) return discovery;
  return rediscover(login, record, challenge ?? NO_CHALLENGE);
}

async function rediscover(login: LoginContext, record: AuthRecord, challenge: Challenge): Promise<AuthorizationServer> {
  const { url, settings, fetch, now } = login;
  const found = await discover(url, { challenge, settings, fetch });
  if (found === undefined) throw noMetadataError(login, challenge);
  if (!isSameIssuer(found.server.issuer, record.issuer)) {
    await updateIfCurrent(login, record, (stored) => withoutClient(stored, now()));
    const reason = 'it has another authorization server than at the last sign-in';
    throw signInNeeded(login, { reason, scope: challenge.scope });
  }
  await updateIfCurrent(login, record, (stored) => ({ ...stored, discovery: found.server }));
  return found.server;
}

/** A server that says where its metadata are means to offer a sign-in, whatever is found there. */
function noMetadataError(login: LoginContext, { resourceMetadata }: Challenge): AppError {
  const { serverId, url } = login;
  if (resourceMetadata === undefined || isInsecureHttp(new URL(url))) return noSignInOffered(login);
  const { host } = new URL(url);
  const { origin, pathname } = new URL(resourceMetadata, url);
  const named = `${quoteIfNeeded(serverId)} (${host}) answered 401 and names its OAuth metadata at ${origin}${pathname}`;
  const advice = 'ask whoever runs it, or set oauth.authorization_url and oauth.token_url in its entry';
  return new AppError('BAD_ANSWER', `${named}, where there are none: ${advice}.`, { data: { server: serverId } });
}

interface RefreshFailure {
  readonly record: AuthRecord;
  readonly challenge: Challenge | undefined;
  readonly error: unknown;
}

/** After these the tokens are worth nothing. Whatever else is said, `temporarily_unavailable` for one, may pass. */
const FINAL_ERRORS: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/** Throws, unless somebody has put better tokens there meanwhile. */
async function handleFailure(login: LoginContext, { record, challenge, error }: RefreshFailure): Promise<void> {
  if (!isAppError(error)) throw error;
  const refusal = error.data?.['oauthError'];
  // Our own words, about what was found out on the way.
  if (error.code === 'SIGN_IN_NEEDED' && refusal === undefined) throw error;
  if (typeof refusal !== 'string' || !FINAL_ERRORS.has(refusal)) {
    const { refreshStartedAt } = record;
    const mark = mayHaveRotated(error) ? {} : { refreshStartedAt };
    // Whoever moved its endpoints is asked for them the next time.
    await updateIfCurrent(login, record, (stored) => ({ ...stored, ...mark, discovery: undefined }));
    if (challenge !== undefined) await rediscover(login, record, challenge);
    throw refusal === undefined ? error : new AppError('CONNECTION_CLOSED', error.message, { data: error.data ?? {} });
  }
  const isClientGone = refusal !== 'invalid_grant' && record.registration !== 'static';
  const forget = isClientGone ? withoutClient : withoutTokens;
  const isChanged = await updateIfCurrent(login, record, (stored) => forget(stored, login.now()));
  const wasInterrupted = refusal === 'invalid_grant' && record.refreshStartedAt !== undefined;
  const reason = wasInterrupted ? INTERRUPTED : 'the last sign-in has expired or was revoked';
  if (isChanged) throw signInNeeded(login, { reason, scope: challenge?.scope });
}

const INTERRUPTED =
  'its last token refresh was interrupted before the new tokens were stored, and the old ones are no longer accepted';

/** Whether the server may have processed the request although its tokens did not arrive. */
function mayHaveRotated({ code, data, cause }: AppError): boolean {
  const isRefused = data?.['oauthError'] !== undefined || code === 'DENIED';
  const isTurnedAway = data?.['status'] === 429 || data?.['status'] === 503;
  const isNotSent = cause instanceof Error && isUndelivered(cause);
  return !isRefused && !isTurnedAway && !isNotSent;
}

/** Only while the tokens are those that we know: somebody may have signed in, or out. */
async function updateIfCurrent(
  login: LoginContext,
  record: AuthRecord,
  make: (stored: AuthRecord) => AuthRecord,
): Promise<boolean> {
  let isChanged = false;
  await login.store.updateAsync(login.serverId, (stored) => {
    if (!hasSameTokens(stored, record)) return stored;
    isChanged = true;
    return make(stored);
  });
  return isChanged;
}
