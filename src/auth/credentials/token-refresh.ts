import type { AuthorizationServer } from 'oauth4webapi';
import { AppError, isAppError } from '../../base/errors.ts';
import { visibleWord } from '../../base/text/visible-text.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import { isUnheard } from '../../net/connection-error.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { isReadOnItsWay } from '../../net/url-policy.ts';
import type { Challenge } from '../discovery/challenge.ts';
import { discover } from '../discovery/discovery.ts';
import { isSameIssuer } from '../discovery/issuer.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import { refreshTokens, type Tokens } from '../oauth/token-requests.ts';
import { noSignInOffered, signInNeeded } from '../sign-in/sign-in-errors.ts';
import { type AuthRecord, clientOf, withoutClient, withoutTokens, withTokens } from '../store/auth-record.ts';
import type { AuthStore } from '../store/auth-store.ts';
import { hasTokensOf } from '../store/unsaved-tokens.ts';

/** The login that is looked after. */
export interface Login {
  readonly serverId: string;
  readonly url: string;
  readonly settings: OAuthSettings | undefined;
  readonly store: AuthStore;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

interface Wish {
  /** Whether these are still the tokens that somebody wants replaced. */
  readonly isMeant: (record: AuthRecord) => boolean;
  /** What the server said when it refused them, with the scopes to ask for. Undefined: it did not, they are merely old. */
  readonly challenge: Challenge | undefined;
}

/**
 * Replaces tokens by their refresh token: one process at a time, and only what nobody else has replaced meanwhile.
 * Throws `SIGN_IN_NEEDED` when they cannot be renewed any more; they are deleted then, if they are still the stored ones.
 * Whatever else goes wrong leaves them as they are.
 */
export function renewTokens(login: Login, { isMeant, challenge }: Wish): Promise<void> {
  const { serverId, url, store, now } = login;
  return store.exclusively(serverId, async () => {
    await store.settle(serverId);
    const record = store.read(serverId, url);
    if (record?.refreshToken === undefined || !isMeant(record)) return;
    const client = clientOf(record, login.settings);
    const isOther = client?.registration === 'static' && client.clientId !== login.settings?.clientId;
    if (client === undefined || isOther)
      throw signInNeeded(login, {
        reason: 'the client of the last sign-in is not the one of the config',
        scope: challenge?.scope,
      });
    const tokens = await askFor(login, { record, client, challenge });
    const updatedAt = now();
    if (tokens !== undefined)
      await store.keep(serverId, { replaced: record, make: (stored) => withTokens(stored, tokens, updatedAt) });
  });
}

/**
 * Asks again who gives out tokens for this server. Throws when that is somebody else than the one who gave ours: they,
 * and our name there, are forgotten, because nobody else may see them.
 */
export async function checkIssuer(login: Login, record: AuthRecord, challenge: Challenge): Promise<void> {
  await change(login, record, (stored) => ({ ...stored, discovery: undefined }));
  await discoverAgain(login, record, challenge);
}

/** All processes are told, until somebody signs in: each would otherwise find it out by renewing. */
export async function noteRefusals(login: Login, record: AuthRecord): Promise<void> {
  await change(login, record, (stored) => ({ ...stored, refusedAt: login.now() }));
}

/**
 * What to tell somebody whose request was refused: which command signs in, with the scopes of the challenge, or that there
 * is nothing to sign in to.
 */
export async function explainRefusal(login: Login, challenge: Challenge): Promise<AppError> {
  const { serverId, url, settings, store, fetch } = login;
  const found = await discover(url, { challenge, settings, fetch });
  return found === undefined
    ? notFound(login, challenge)
    : signInNeeded(login, { reason: store.whyIgnored(serverId, url), scope: challenge.scope });
}

interface Question {
  readonly record: AuthRecord;
  readonly client: OAuthClient;
  readonly challenge: Challenge | undefined;
}

/** Undefined if another process has replaced or removed the tokens meanwhile. */
async function askFor(login: Login, { record, client, challenge }: Question): Promise<Tokens | undefined> {
  const { url, fetch, now } = login;
  const { refreshToken = '', resource = url } = record;
  try {
    const server = await serverOf(login, record, challenge);
    // Many refresh tokens work once. So the token is not sent before the store is writable and the file records that a
    // refresh has started. A process that finds this record, because the previous one was killed, tries the token again.
    const isMarked = await change(login, record, (stored) => ({ ...stored, refreshStartedAt: now() }));
    if (!isMarked) return undefined;
    return await refreshTokens({ server, client, refreshToken, resource, fetch, now });
  } catch (error) {
    await giveUp(login, { record, challenge, error });
    return undefined;
  }
}

const NO_CHALLENGE: Challenge = { resourceMetadata: undefined, scope: undefined, error: undefined };

async function serverOf(
  login: Login,
  record: AuthRecord,
  challenge: Challenge | undefined,
): Promise<AuthorizationServer> {
  const isConfigured = login.settings?.authorizationUrl !== undefined && login.settings.tokenUrl !== undefined;
  const { discovery, issuer } = record;
  if (!isConfigured && discovery !== undefined && isSameIssuer(discovery.issuer, issuer)) return discovery;
  return discoverAgain(login, record, challenge ?? NO_CHALLENGE);
}

async function discoverAgain(login: Login, record: AuthRecord, challenge: Challenge): Promise<AuthorizationServer> {
  const { url, settings, fetch, now } = login;
  const found = await discover(url, { challenge, settings, fetch });
  if (found === undefined) throw notFound(login, challenge);
  if (!isSameIssuer(found.server.issuer, record.issuer)) {
    await change(login, record, (stored) => withoutClient(stored, now()));
    const reason = 'it has another authorization server than at the last sign-in';
    throw signInNeeded(login, { reason, scope: challenge.scope });
  }
  await change(login, record, (stored) => ({ ...stored, discovery: found.server }));
  return found.server;
}

/** A server that says where its metadata are means to offer a sign-in, whatever is found there. */
function notFound(login: Login, { resourceMetadata }: Challenge): AppError {
  const { serverId, url } = login;
  if (resourceMetadata === undefined || isReadOnItsWay(new URL(url))) return noSignInOffered(login);
  const { host } = new URL(url);
  const { origin, pathname } = new URL(resourceMetadata, url);
  const named = `${visibleWord(serverId)} (${host}) answered 401 and names its OAuth metadata at ${origin}${pathname}`;
  const advice = 'ask whoever runs it, or set oauth.authorization_url and oauth.token_url in its entry';
  return new AppError('BAD_ANSWER', `${named}, where there are none: ${advice}.`, { data: { server: serverId } });
}

interface Failure {
  readonly record: AuthRecord;
  readonly challenge: Challenge | undefined;
  readonly error: unknown;
}

/** After these the tokens are worth nothing. Whatever else is said, `temporarily_unavailable` for one, may pass. */
const FINAL: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/** Throws, unless somebody has put better tokens there meanwhile. */
async function giveUp(login: Login, { record, challenge, error }: Failure): Promise<void> {
  if (!isAppError(error)) throw error;
  const refusal = error.data?.['oauthError'];
  // Our own words, about what was found out on the way.
  if (error.code === 'SIGN_IN_NEEDED' && refusal === undefined) throw error;
  if (typeof refusal !== 'string' || !FINAL.has(refusal)) {
    const { refreshStartedAt } = record;
    const mark = mayHaveReplaced(error) ? {} : { refreshStartedAt };
    // Whoever moved its endpoints is asked for them the next time.
    await change(login, record, (stored) => ({ ...stored, ...mark, discovery: undefined }));
    if (challenge !== undefined) await discoverAgain(login, record, challenge);
    throw refusal === undefined ? error : new AppError('CONNECTION_CLOSED', error.message, { data: error.data ?? {} });
  }
  const isClientGone = refusal !== 'invalid_grant' && record.registration !== 'static';
  const forget = isClientGone ? withoutClient : withoutTokens;
  const isChanged = await change(login, record, (stored) => forget(stored, login.now()));
  const wasInterrupted = refusal === 'invalid_grant' && record.refreshStartedAt !== undefined;
  const reason = wasInterrupted ? LOST : 'the last sign-in has expired or was revoked';
  if (isChanged) throw signInNeeded(login, { reason, scope: challenge?.scope });
}

const LOST =
  'its last token refresh was interrupted before the new tokens were stored, and the old ones are no longer accepted';

/** Whether the server may have processed the request although its tokens did not arrive. */
function mayHaveReplaced({ code, data, cause }: AppError): boolean {
  const isRefused = data?.['oauthError'] !== undefined || code === 'DENIED';
  const isTurnedAway = data?.['status'] === 429 || data?.['status'] === 503;
  const isNotSent = cause instanceof Error && isUnheard(cause);
  return !isRefused && !isTurnedAway && !isNotSent;
}

/** Only while the tokens are those that we know: somebody may have signed in, or out. */
async function change(login: Login, record: AuthRecord, make: (stored: AuthRecord) => AuthRecord): Promise<boolean> {
  let isChanged = false;
  await login.store.updateSoon(login.serverId, (stored) => {
    if (!hasTokensOf(stored, record)) return stored;
    isChanged = true;
    return make(stored);
  });
  return isChanged;
}
