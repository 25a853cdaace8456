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
  refused(refusal: RejectedRequest): Promise<void>;
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
    refused: ({ status }) => Promise.reject(ownHeaderRefused(options, status)),
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
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Work that several requests wait for, by what it is about. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** Of the last renewal that did not work out. */
  #failure: { readonly bearer: string; readonly at: number; readonly error: unknown } | undefined;
  /** Tokens that we were given for refused ones, with the time. */
  #replacements: readonly { readonly bearer: string; readonly at: number }[] = [];
  #signIns = 0;
  readonly #known = createRecentTokens();
  #atRefusal: { stamp: string; readonly bearer: string | undefined; readonly until: number } | undefined;

  constructor(options: CredentialsOptions) {
    this.#options = options;
  }

  authorization(): string | undefined | Promise<string | undefined> {
    const now = this.#options.now();
    try {
      if (Math.abs(now - this.#lookedAt) >= RELOAD_AFTER_MS) this.#lookAgain();
    } catch {
      // What was known until now counts on. A server that wants nobody to sign in need not suffer for a damaged file;
      // one that does refuses us, and then its reason is told.
    }
    const record = this.#record;
    const bearer = this.#bearer;
    if (record === undefined || bearer === undefined) return undefined;
    if (record.refreshToken === undefined || now < refreshDueAt(record)) return bearer;
    return this.#renewFirst(bearer, record);
  }

  async refused({ status, challenge: header, sent }: RejectedRequest): Promise<void> {
    try {
      const said = readChallenge(header);
      const isScopeMissing = said.error === 'insufficient_scope';
      if (status !== 401 && !isScopeMissing) throw accessDenied(this.#options, status);
      const bearer = this.#look();
      // Others may have been refused with the same token, and one of them was faster.
      if (bearer !== undefined && bearer !== sent) return;
      const challenge = withGrantedScopes(said, this.#record);
      // RFC 6750 says 403. Some servers answer 401, and a renewed token has no more scopes than the old one.
      if (isScopeMissing && bearer !== undefined) await this.#stepUp(bearer, challenge);
      else await this.#replace(bearer, challenge);
    } catch (error) {
      this.#noteRefusal();
      throw error;
    }
  }

  hasChanged(): boolean {
    const { store, now } = this.#options;
    const stamp = store.stamp();
    if (this.#atRefusal !== undefined && now() >= this.#atRefusal.until) return true;
    if (this.#atRefusal?.stamp === stamp) return false;
    try {
      this.#look();
    } catch {
      // It cannot be read: that is a change, and whoever tries again is told about it.
      return true;
    }
    if (this.#atRefusal === undefined || this.#bearer !== this.#atRefusal.bearer) return true;
    // It was about another server.
    this.#atRefusal.stamp = stamp;
    return false;
  }

  tokens(): readonly string[] {
    return this.#known.all();
  }

  #noteRefusal(): void {
    const { store, now } = this.#options;
    const until = this.#record === undefined ? 0 : rejectedUntil(this.#record);
    // What only a sign-in mends is not tried again by itself.
    const isForAWhile = until > now();
    this.#atRefusal = {
      stamp: store.stamp(),
      bearer: this.#bearer,
      until: isForAWhile ? until : Number.POSITIVE_INFINITY,
    };
  }

  #canSignIn(): boolean {
    return this.#options.signIn !== undefined && this.#signIns < MAX_SIGN_INS;
  }

  /** At the file, of which the store reads no more than it must. */
  #look(): string | undefined {
    const { store, serverId, url, now } = this.#options;
    this.#record = store.read(serverId, url);
    this.#bearer = bearerOf(this.#record);
    this.#lookedAt = now();
    this.#known.learn(this.#record);
    return this.#bearer;
  }

  #lookAgain(): void {
    const { store, serverId } = this.#options;
    this.#look();
    void store.settle(serverId).catch(() => {
      // What could not be stored still cannot be, and is used all the same.
    });
  }

  async #renewFirst(bearer: string, record: AuthRecord): Promise<string | undefined> {
    // Another process may have done it.
    if (this.#look() !== bearer) return this.authorization();
    try {
      await this.#renew(bearer, undefined);
    } catch (error) {
      const left = this.#look();
      const isGood = this.#options.now() < (record.expiresAt ?? Number.POSITIVE_INFINITY);
      if (isGood && left === bearer && isAppError(error)) return bearer;
      // The server will say what it wants, and then somebody is asked.
      if (this.#canSignIn() && isSignInNeeded(error)) return left;
      this.#noteRefusal();
      throw error;
    }
    return this.#look();
  }

  /** `bearer` was refused; undefined: there is none. */
  async #replace(bearer: string | undefined, challenge: Challenge): Promise<void> {
    const record = this.#record;
    const canRenew = bearer !== undefined && record?.refreshToken !== undefined;
    if (canRenew && (await this.#mayReplace(bearer, record))) {
      await this.#renew(bearer, challenge).catch((error: unknown) => {
        // A token that cannot be renewed is deleted, and a server with public tools takes requests without one.
        this.#look();
        if (!this.#canSignIn() || !isSignInNeeded(error)) throw error;
      });
      const replacement = this.#look();
      if (replacement !== undefined && replacement !== bearer) return this.#noteReplacement(replacement);
    }
    await this.#signIn(bearer, challenge);
  }

  /** A server that refuses whatever it is given must not have us renew for ever, here or in another process. */
  async #mayReplace(bearer: string, record: AuthRecord): Promise<boolean> {
    const now = this.#options.now();
    if (rejectedUntil(record) > now) return false;
    const since = now - REPLACEMENTS_WITHIN_MS;
    this.#replacements = this.#replacements.filter(({ at, bearer: given }) => at > since || given === bearer);
    if (this.#replacements.length < MAX_REPLACEMENTS) return true;
    const { recordRejections: noteRefusals } = await import('./token-refresh.ts');
    await noteRefusals(this.#options, record);
    this.#look();
    return false;
  }

  #noteReplacement(bearer: string): void {
    if (this.#replacements.some((given) => given.bearer === bearer)) return;
    this.#replacements = [...this.#replacements, { bearer, at: this.#options.now() }];
  }

  #renew(bearer: string, challenge: Challenge | undefined): Promise<void> {
    const { now } = this.#options;
    const failure = this.#failure;
    if (failure?.bearer === bearer && Math.abs(now() - failure.at) < RETRY_AFTER_MS)
      return Promise.reject(failure.error);
    return this.#together(`renew ${bearer}`, async () => {
      const { checkIssuer, refreshStoredTokens: renewTokens } = await import('./token-refresh.ts');
      const record = this.#record;
      try {
        // New and refused all the same: perhaps somebody else is in charge of tokens now.
        const isNew = challenge !== undefined && this.#replacements.some((given) => given.bearer === bearer);
        if (isNew && record !== undefined) await checkIssuer(this.#options, record, challenge);
        await renewTokens(this.#options, { isMeant: (stored) => bearerOf(stored) === bearer, challenge });
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
    await this.#together('sign in', () => {
      this.#signIns++;
      return signIn(challenge);
    });
    const bearer = this.#look();
    if (bearer === undefined || bearer === refused) throw signInNeeded(this.#options, { scope: challenge.scope });
  }

  #explain(challenge: Challenge): Promise<void> {
    const record = this.#record;
    if (record !== undefined && rejectedUntil(record) > this.#options.now())
      return Promise.reject(tokensRejectedError(this.#options, record.issuer, challenge));
    return this.#together(`explain ${challenge.scope}`, async () => {
      const { explainRejection: explainRefusal } = await import('./token-refresh.ts');
      throw await explainRefusal(this.#options, challenge);
    });
  }

  #together(what: string, work: () => Promise<void>): Promise<void> {
    const underWay = this.#underWay.get(what);
    if (underWay !== undefined) return underWay;
    const begun = work().finally(() => this.#underWay.delete(what));
    this.#underWay.set(what, begun);
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
