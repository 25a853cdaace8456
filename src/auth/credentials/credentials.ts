import { isAppError } from '../../base/errors.ts';
import { type Challenge, readChallenge } from '../discovery/challenge.ts';
import {
  accessDenied,
  isSignInNeeded,
  ownHeaderRejected,
  signInNeeded,
  tokensRejected,
} from '../sign-in/sign-in-errors.ts';
import { type AuthRecord, mergeScopes } from '../store/auth-record.ts';
import type { RecentTokens } from './recent-tokens.ts';
import { createRejectionHistory, type RejectionHistory, rejectsNewTokens } from './rejection-history.ts';
import type { SignInLimit } from './sign-in-limit.ts';
import type { SignInContext } from './token-refresh.ts';

/** A response that rejected its request with 401 or 403. */
interface RejectedRequest {
  readonly status: number;
  /** `WWW-Authenticate` */
  readonly challenge: string | undefined;
  /** The `Authorization` header of the request. */
  readonly sent: string | undefined;
}

/** Authorization for the requests to one server. */
export interface Credentials {
  /**
   * Returns the header value to send now; undefined: none is known. Returns a promise only if a token refresh runs
   * first.
   */
  authorization(): string | undefined | Promise<string | undefined>;
  /** Returns whether a token is stored. Does not refresh it. */
  hasToken(): boolean;
  /** Resolves when the request may be sent again; rejects with the error for its caller. */
  handleRejection(request: RejectedRequest): Promise<void>;
  /** Returns whether something may have changed since the last rejection, such as a new sign-in. Cheap. */
  hasChanged(): boolean;
}

export interface CredentialsOptions extends SignInContext {
  /** The entry has its own Authorization header: no token is ever added. */
  readonly hasOwnAuthorization: boolean;
  /** Sign-in function of the application. Not called once the limit is reached. */
  readonly signIn?: ((challenge: Challenge) => Promise<void>) | undefined;
  readonly signInLimit: SignInLimit;
  /** Receives every token that is sent. */
  readonly recentTokens: RecentTokens;
}

export function createCredentials(options: CredentialsOptions): Credentials {
  return options.hasOwnAuthorization ? createHeaderCredentials(options) : new StoredCredentials(options);
}

function createHeaderCredentials(options: CredentialsOptions): Credentials {
  return {
    authorization: () => undefined,
    hasToken: () => false,
    handleRejection: ({ status }) => Promise.reject(ownHeaderRejected(options, status)),
    hasChanged: () => false,
  };
}

/** A class, because `authorization` is called for every request. */
class StoredCredentials implements Credentials {
  readonly #options: CredentialsOptions;
  #record: AuthRecord | undefined;
  #bearer: string | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  /** Shared work that several requests wait for, by what it does. */
  readonly #pending = new Map<string, Promise<void>>();
  readonly #history: RejectionHistory;

  constructor(options: CredentialsOptions) {
    this.#options = options;
    this.#history = createRejectionHistory(options.now);
  }

  authorization(): string | undefined | Promise<string | undefined> {
    const now = this.#options.now();
    this.#reloadIfStale(now);
    const record = this.#record;
    const bearer = this.#bearer;
    if (record === undefined || bearer === undefined) return undefined;
    if (record.refreshToken === undefined || now < refreshDueAt(record)) return bearer;
    return this.#refreshBeforeUse(bearer, record);
  }

  hasToken(): boolean {
    this.#reloadIfStale(this.#options.now());
    return this.#bearer !== undefined;
  }

  async handleRejection({ status, challenge: header, sent }: RejectedRequest): Promise<void> {
    try {
      const received = readChallenge(header);
      const isScopeMissing = received.error === 'insufficient_scope';
      if (status !== 401 && !isScopeMissing) throw accessDenied(this.#options, status);
      const bearer = this.#reload();
      // Another request with the same token may have been rejected, and already replaced it.
      if (bearer !== undefined && bearer !== sent) return;
      const challenge = withGrantedScopes(received, this.#record);
      // RFC 6750 requires 403. Some servers send 401, and a refreshed token has no more scopes than the old one.
      if (isScopeMissing && bearer !== undefined) await this.#stepUp(bearer, challenge);
      else await this.#replaceToken(bearer, challenge);
    } catch (error) {
      this.#recordRejection();
      throw error;
    }
  }

  hasChanged(): boolean {
    return this.#history.hasChanged(this.#options.store.signature(), () => this.#reload());
  }

  #recordRejection(): void {
    const signature = this.#options.store.signature();
    this.#history.addRejection({ signature, bearer: this.#bearer, record: this.#record });
  }

  #canSignIn(): boolean {
    return this.#options.signIn !== undefined && !this.#options.signInLimit.isReached();
  }

  /** Reads the record from the store, which rereads the file only if it has changed. */
  #reload(): string | undefined {
    const { store, serverId, url, now, recentTokens } = this.#options;
    this.#record = store.read(serverId, url);
    this.#bearer = bearerOf(this.#record);
    this.#loadedAt = now();
    recentTokens.add(this.#record);
    return this.#bearer;
  }

  #reloadIfStale(now: number): void {
    if (Math.abs(now - this.#loadedAt) < RELOAD_AFTER_MS) return;
    try {
      this.#reloadAndFlush();
    } catch {
      // Keep using the last known record. A server that requires no sign-in should not fail because of a damaged file.
      // One that does require it rejects the request, and the error is reported then.
    }
  }

  #reloadAndFlush(): void {
    const { store, serverId } = this.#options;
    this.#reload();
    void store.flushUnsaved(serverId).catch(() => {
      // The tokens still cannot be stored, but remain in use.
    });
  }

  async #refreshBeforeUse(bearer: string, record: AuthRecord): Promise<string | undefined> {
    // Another process may have refreshed the token.
    if (this.#reload() !== bearer) return this.authorization();
    try {
      await this.#refresh(bearer, undefined);
    } catch (error) {
      const current = this.#reload();
      const isUnexpired = this.#options.now() < (record.expiresAt ?? Number.POSITIVE_INFINITY);
      if (isUnexpired && current === bearer && isAppError(error)) return bearer;
      // The server rejects the request, and the user is then asked to sign in.
      if (this.#canSignIn() && isSignInNeeded(error)) return current;
      this.#recordRejection();
      throw error;
    }
    return this.#reload();
  }

  /** Replaces a rejected token. `bearer` is undefined if there is none. */
  async #replaceToken(bearer: string | undefined, challenge: Challenge): Promise<void> {
    const record = this.#record;
    const canRefresh = bearer !== undefined && record?.refreshToken !== undefined;
    if (canRefresh && (await this.#canReplace(bearer, record))) {
      await this.#refresh(bearer, challenge).catch((error: unknown) => {
        // A token that cannot be refreshed is deleted, and a server with public tools accepts requests without one.
        this.#reload();
        if (!this.#canSignIn() || !isSignInNeeded(error)) throw error;
      });
      const replacement = this.#reload();
      if (replacement !== undefined && replacement !== bearer) return this.#history.addReplacement(replacement);
    }
    await this.#signIn(bearer, challenge);
  }

  async #canReplace(bearer: string, record: AuthRecord): Promise<boolean> {
    if (rejectsNewTokens(record, this.#options.now())) return false;
    if (this.#history.allowsReplacement(bearer)) return true;
    const { recordRejections } = await import('./token-refresh.ts');
    await recordRejections(this.#options, record);
    this.#reload();
    return false;
  }

  #refresh(bearer: string, challenge: Challenge | undefined): Promise<void> {
    const failure = this.#history.recentFailure(bearer);
    if (failure !== undefined) return Promise.reject(failure.error);
    return this.#shareWork(`refresh ${bearer}`, async () => {
      const { checkIssuer, refreshStoredTokens } = await import('./token-refresh.ts');
      const record = this.#record;
      try {
        // A new token was rejected: the authorization server may have changed.
        if (challenge !== undefined && record !== undefined && this.#history.isReplacement(bearer))
          await checkIssuer(this.#options, record, challenge);
        await refreshStoredTokens(this.#options, { isCurrent: (stored) => bearerOf(stored) === bearer, challenge });
      } catch (error) {
        this.#history.addFailure(bearer, error);
        throw error;
      }
    });
  }

  async #stepUp(bearer: string, challenge: Challenge): Promise<void> {
    if (this.#canSignIn()) return this.#signIn(bearer, challenge);
    const reason = 'it requires more permissions than the last sign-in granted';
    throw signInNeeded(this.#options, { reason, scope: challenge.scope });
  }

  async #signIn(rejected: string | undefined, challenge: Challenge): Promise<void> {
    const { signIn, signInLimit } = this.#options;
    if (signIn === undefined || !this.#canSignIn()) return this.#explain(challenge);
    await this.#shareWork('sign in', () => {
      signInLimit.add();
      return signIn(challenge);
    });
    const bearer = this.#reload();
    if (bearer === undefined || bearer === rejected) throw signInNeeded(this.#options, { scope: challenge.scope });
  }

  #explain(challenge: Challenge): Promise<void> {
    const record = this.#record;
    if (rejectsNewTokens(record, this.#options.now()))
      return Promise.reject(tokensRejected(this.#options, record.issuer, challenge.scope));
    return this.#shareWork(`explain ${challenge.scope}`, async () => {
      const { explainRejection } = await import('./token-refresh.ts');
      throw await explainRejection(this.#options, challenge);
    });
  }

  #shareWork(what: string, work: () => Promise<void>): Promise<void> {
    const pending = this.#pending.get(what);
    if (pending !== undefined) return pending;
    const started = work().finally(() => this.#pending.delete(what));
    this.#pending.set(what, started);
    return started;
  }
}

/** Another process may have refreshed the token, signed in or signed out. */
const RELOAD_AFTER_MS = 2_000;
const REFRESH_BEFORE_MS = 60_000;
/** For a token that lives for a minute, the last twelve seconds. */
const REFRESH_BEFORE_RATIO = 0.2;

/**
 * Adds the granted scopes to those of the challenge, so that a new sign-in does not lose them. If the challenge has no
 * scope, the sign-in chooses: requesting the granted scopes again would end in the same rejection.
 */
function withGrantedScopes(challenge: Challenge, record: AuthRecord | undefined): Challenge {
  if (challenge.scope === undefined) return challenge;
  return { ...challenge, scope: mergeScopes(record?.scope, challenge.scope) };
}

function refreshDueAt({ expiresAt, updatedAt }: AuthRecord): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  const lifetimeMs = updatedAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, expiresAt - updatedAt);
  return expiresAt - Math.min(REFRESH_BEFORE_MS, lifetimeMs * REFRESH_BEFORE_RATIO);
}

function bearerOf(record: AuthRecord | undefined): string | undefined {
  return record?.accessToken === undefined ? undefined : `Bearer ${record.accessToken}`;
}
