import { type AppError, isAppError } from '../../base/errors.ts';
import { type Challenge, readChallenge } from '../discovery/challenge.ts';
import { accessDenied, ownHeaderRefused, type ServerReference, signInNeeded } from '../sign-in/sign-in-errors.ts';
import { type AuthRecord, mergeScopes } from '../store/auth-record.ts';
import { createRecentTokens } from './recent-tokens.ts';
import type { LoginContext } from './token-refresh.ts';

/** An answer that did not take what it was sent. */
interface RejectedRequest {
  readonly status: number;
  /** `WWW-Authenticate` */
  readonly challenge: string | undefined;
  /** The `Authorization` that it was sent with. */
  readonly sent: string | undefined;
}

/** How the requests to one server say on whose behalf they come. */
export interface Credentials {
  /** What to send now; undefined: nothing is known. A promise only when a token is renewed first. */
  authorization(): string | undefined | Promise<string | undefined>;
  /** Resolves when the request may be sent again, and rejects with what its caller is to be told. */
  handleRejection(refusal: RejectedRequest): Promise<void>;
  /** Whether something may have changed since the last refusal: somebody signed in. Cheap. */
  hasChanged(): boolean;
  /** What must be shown to nobody: the tokens that are known, as long as one of them may still be heard of. */
  tokens(): readonly string[];
}

export interface CredentialsOptions extends LoginContext {
  /** The entry has an Authorization header of its own: no token is ever added. */
  readonly hasOwnAuthorization: boolean;
  /** An application's way to sign in, called at most `MAX_SIGN_INS` times. */
  readonly signIn?: ((challenge: Challenge) => Promise<void>) | undefined;
}

export function createCredentials(options: CredentialsOptions): Credentials {
  return options.hasOwnAuthorization ? createHeaderCredentials(options) : new StoredCredentials(options);
}

function createHeaderCredentials(options: CredentialsOptions): Credentials {
  return {
    authorization: () => undefined,
    handleRejection: ({ status }) => Promise.reject(ownHeaderRefused(options, status)),
    hasChanged: () => false,
    // That of its entry is a secret of the config.
    tokens: () => [],
  };
}

/** A class because `authorization` is asked for every request. */
class StoredCredentials implements Credentials {
  readonly #options: CredentialsOptions;
  #record: AuthRecord | undefined;
  #bearer: string | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  /** Work that several requests wait for, by what it is about. */
  readonly #pending = new Map<string, Promise<void>>();
  /** Of the last renewal that did not work out. */
  #failure: { readonly bearer: string; readonly at: number; readonly error: unknown } | undefined;
  /** Tokens that we were given for refused ones, with the time. */
  #replacements: readonly { readonly bearer: string; readonly at: number }[] = [];
  #signIns = 0;
  readonly #recentTokens = createRecentTokens();
  #lastRejection: { stamp: string; readonly bearer: string | undefined; readonly until: number } | undefined;

  constructor(options: CredentialsOptions) {
    this.#options = options;
  }

  authorization(): string | undefined | Promise<string | undefined> {
    const now = this.#options.now();
    try {
      if (Math.abs(now - this.#loadedAt) >= RELOAD_AFTER_MS) this.#reloadAndFlush();
    } catch {
      // What was known until now counts on. A server that wants nobody to sign in need not suffer for a damaged file;
      // one that does refuses us, and then its reason is told.
    }
    const record = this.#record;
    const bearer = this.#bearer;
    if (record === undefined || bearer === undefined) return undefined;
    if (record.refreshToken === undefined || now < refreshDueAt(record)) return bearer;
    return this.#refreshBeforeUse(bearer, record);
  }

  async handleRejection({ status, challenge: header, sent }: RejectedRequest): Promise<void> {
    try {
      const said = readChallenge(header);
      const isScopeMissing = said.error === 'insufficient_scope';
      if (status !== 401 && !isScopeMissing) throw accessDenied(this.#options, status);
      const bearer = this.#reload();
      // Others may have been refused with the same token, and one of them was faster.
      if (bearer !== undefined && bearer !== sent) return;
      const challenge = withGrantedScopes(said, this.#record);
      // RFC 6750 says 403. Some servers answer 401, and a renewed token has no more scopes than the old one.
      if (isScopeMissing && bearer !== undefined) await this.#stepUp(bearer, challenge);
      else await this.#replaceToken(bearer, challenge);
    } catch (error) {
      this.#recordRejection();
      throw error;
    }
  }

  hasChanged(): boolean {
    const { store, now } = this.#options;
    const stamp = store.signature();
    if (this.#lastRejection !== undefined && now() >= this.#lastRejection.until) return true;
    if (this.#lastRejection?.stamp === stamp) return false;
    try {
      this.#reload();
    } catch {
      // It cannot be read: that is a change, and whoever tries again is told about it.
      return true;
    }
    if (this.#lastRejection === undefined || this.#bearer !== this.#lastRejection.bearer) return true;
    // It was about another server.
    this.#lastRejection.stamp = stamp;
    return false;
  }

  tokens(): readonly string[] {
    return this.#recentTokens.all();
  }

  #recordRejection(): void {
    const { store, now } = this.#options;
    const until = this.#record === undefined ? 0 : rejectedUntil(this.#record);
    // What only a sign-in mends is not tried again by itself.
    const isForAWhile = until > now();
    this.#lastRejection = {
      stamp: store.signature(),
      bearer: this.#bearer,
      until: isForAWhile ? until : Number.POSITIVE_INFINITY,
    };
  }

  #canSignIn(): boolean {
    return this.#options.signIn !== undefined && this.#signIns < MAX_SIGN_INS;
  }

  /** At the file, of which the store reads no more than it must. */
  #reload(): string | undefined {
    const { store, serverId, url, now } = this.#options;
    this.#record = store.read(serverId, url);
    this.#bearer = bearerOf(this.#record);
    this.#loadedAt = now();
    this.#recentTokens.add(this.#record);
    return this.#bearer;
  }

  #reloadAndFlush(): void {
    const { store, serverId } = this.#options;
    this.#reload();
    void store.flushUnsaved(serverId).catch(() => {
      // What could not be stored still cannot be, and is used all the same.
    });
  }

  async #refreshBeforeUse(bearer: string, record: AuthRecord): Promise<string | undefined> {
    // Another process may have done it.
    if (this.#reload() !== bearer) return this.authorization();
    try {
      await this.#refresh(bearer, undefined);
    } catch (error) {
      const left = this.#reload();
      const isGood = this.#options.now() < (record.expiresAt ?? Number.POSITIVE_INFINITY);
      if (isGood && left === bearer && isAppError(error)) return bearer;
      // The server will say what it wants, and then somebody is asked.
      if (this.#canSignIn() && isSignInNeeded(error)) return left;
      this.#recordRejection();
      throw error;
    }
    return this.#reload();
  }

  /** `bearer` was refused; undefined: there is none. */
  async #replaceToken(bearer: string | undefined, challenge: Challenge): Promise<void> {
    const record = this.#record;
    const canRenew = bearer !== undefined && record?.refreshToken !== undefined;
    if (canRenew && (await this.#canReplace(bearer, record))) {
      await this.#refresh(bearer, challenge).catch((error: unknown) => {
        // A token that cannot be renewed is deleted, and a server with public tools takes requests without one.
        this.#reload();
        if (!this.#canSignIn() || !isSignInNeeded(error)) throw error;
      });
      const replacement = this.#reload();
      if (replacement !== undefined && replacement !== bearer) return this.#recordReplacement(replacement);
    }
    await this.#signIn(bearer, challenge);
  }

  /** A server that refuses whatever it is given must not have us renew for ever, here or in another process. */
  async #canReplace(bearer: string, record: AuthRecord): Promise<boolean> {
    const now = this.#options.now();
    if (rejectedUntil(record) > now) return false;
    const since = now - REPLACEMENTS_WITHIN_MS;
    this.#replacements = this.#replacements.filter(({ at, bearer: given }) => at > since || given === bearer);
    if (this.#replacements.length < MAX_REPLACEMENTS) return true;
    const { recordRejections: noteRefusals } = await import('./token-refresh.ts');
    await noteRefusals(this.#options, record);
    this.#reload();
    return false;
  }

  #recordReplacement(bearer: string): void {
    if (this.#replacements.some((given) => given.bearer === bearer)) return;
    this.#replacements = [...this.#replacements, { bearer, at: this.#options.now() }];
  }

  #refresh(bearer: string, challenge: Challenge | undefined): Promise<void> {
    const { now } = this.#options;
    const failure = this.#failure;
    if (failure?.bearer === bearer && Math.abs(now() - failure.at) < RETRY_AFTER_MS)
      return Promise.reject(failure.error);
    return this.#shareWork(`renew ${bearer}`, async () => {
      const { checkIssuer, refreshStoredTokens: renewTokens } = await import('./token-refresh.ts');
      const record = this.#record;
      try {
        // New and refused all the same: perhaps somebody else is in charge of tokens now.
        const isNew = challenge !== undefined && this.#replacements.some((given) => given.bearer === bearer);
        if (isNew && record !== undefined) await checkIssuer(this.#options, record, challenge);
        await renewTokens(this.#options, { isCurrent: (stored) => bearerOf(stored) === bearer, challenge });
      } catch (error) {
        this.#failure = { bearer, at: now(), error };
        throw error;
      }
    });
  }

  async #stepUp(bearer: string, challenge: Challenge): Promise<void> {
    if (this.#canSignIn()) return this.#signIn(bearer, challenge);
    const reason = 'it wants more than the last sign-in allows';
    throw signInNeeded(this.#options, { reason, scope: challenge.scope });
  }

  async #signIn(refused: string | undefined, challenge: Challenge): Promise<void> {
    const { signIn } = this.#options;
    if (signIn === undefined || !this.#canSignIn()) return this.#explain(challenge);
    await this.#shareWork('sign in', () => {
      this.#signIns++;
      return signIn(challenge);
    });
    const bearer = this.#reload();
    if (bearer === undefined || bearer === refused) throw signInNeeded(this.#options, { scope: challenge.scope });
  }

  #explain(challenge: Challenge): Promise<void> {
    const record = this.#record;
    if (record !== undefined && rejectedUntil(record) > this.#options.now())
      return Promise.reject(tokensRejectedError(this.#options, record.issuer, challenge));
    return this.#shareWork(`explain ${challenge.scope}`, async () => {
      const { explainRejection: explainRefusal } = await import('./token-refresh.ts');
      throw await explainRefusal(this.#options, challenge);
    });
  }

  #shareWork(what: string, work: () => Promise<void>): Promise<void> {
    const underWay = this.#pending.get(what);
    if (underWay !== undefined) return underWay;
    const begun = work().finally(() => this.#pending.delete(what));
    this.#pending.set(what, begun);
    return begun;
  }
}

/** Somebody else may have renewed, signed in or signed out. */
const RELOAD_AFTER_MS = 2_000;
const RETRY_AFTER_MS = 1_000;
const REFRESH_BEFORE_MS = 60_000;
/** Of a token that lives for a minute, the last twelve seconds. */
const REFRESH_BEFORE_RATIO = 0.2;
const MAX_SIGN_INS = 3;
/** The transport repeats a request three times, and our words are better than its own. */
const MAX_REPLACEMENTS = 2;
const REPLACEMENTS_WITHIN_MS = 30_000;
/** For so long a server that refused all new tokens is believed to go on with it. */
const REJECTION_WINDOW_MS = 5 * 60_000;

/**
 * A sign-in for what the server names must not lose what was granted before. When it names nothing, the sign-in chooses:
 * to ask for the granted scopes again would end in the same refusal.
 */
function withGrantedScopes(challenge: Challenge, record: AuthRecord | undefined): Challenge {
  if (challenge.scope === undefined) return challenge;
  return { ...challenge, scope: mergeScopes(record?.scope, challenge.scope) };
}

function rejectedUntil({ refusedAt = Number.NEGATIVE_INFINITY }: AuthRecord): number {
  return refusedAt + REJECTION_WINDOW_MS;
}

function tokensRejectedError(named: ServerReference, issuer: string | undefined, { scope }: Challenge): AppError {
  const whose = issuer !== undefined && URL.canParse(issuer) ? ` ${new URL(issuer).host}` : '';
  const advice = 'if a new sign-in does not help, tell whoever runs it';
  const reason = `it refuses the tokens that its authorization server${whose} has just given out (${advice})`;
  return signInNeeded(named, { reason, scope });
}

function refreshDueAt({ expiresAt, updatedAt }: AuthRecord): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  const lifetimeMs = updatedAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, expiresAt - updatedAt);
  return expiresAt - Math.min(REFRESH_BEFORE_MS, lifetimeMs * REFRESH_BEFORE_RATIO);
}

function bearerOf(record: AuthRecord | undefined): string | undefined {
  return record?.accessToken === undefined ? undefined : `Bearer ${record.accessToken}`;
}

function isSignInNeeded(error: unknown): boolean {
  return isAppError(error) && error.code === 'SIGN_IN_NEEDED';
}
