import type { AuthRecord } from '../store/auth-record.ts';

/** The rejections of one server and what they led to. They limit refreshes, and decide when a retry makes sense. */
export interface RejectionHistory {
  /** Remembers that this token could not be refreshed. */
  addFailure(bearer: string, error: unknown): void;
  /** Returns the failed refresh of this token if it is too recent to try again. */
  recentFailure(bearer: string): { readonly error: unknown } | undefined;
  /** Remembers a token that was received in exchange for a rejected one. */
  addReplacement(bearer: string): void;
  isReplacement(bearer: string): boolean;
  /** Returns false if the server rejects every new token, so that no process keeps refreshing forever. */
  allowsReplacement(bearer: string): boolean;
  /** Remembers the state in which a request was rejected for good. */
  addRejection(state: CredentialsState): void;
  /**
   * Returns whether something may have changed since that rejection, such as a new sign-in. Calls `readBearer` only if
   * the file has changed.
   */
  hasChanged(signature: string, readBearer: () => string | undefined): boolean;
}

interface CredentialsState {
  /** The signature of the store's file. */
  readonly signature: string;
  readonly bearer: string | undefined;
  readonly record: AuthRecord | undefined;
}

export function createRejectionHistory(now: () => number): RejectionHistory {
  let failure: { readonly bearer: string; readonly at: number; readonly error: unknown } | undefined;
  let replacements: readonly { readonly bearer: string; readonly at: number }[] = [];
  let last: { signature: string; readonly bearer: string | undefined; readonly until: number } | undefined;
  const isReplacement = (bearer: string) => replacements.some((given) => given.bearer === bearer);
  return {
    addFailure(bearer, error) {
      failure = { bearer, at: now(), error };
    },
    recentFailure(bearer) {
      return failure?.bearer === bearer && Math.abs(now() - failure.at) < RETRY_AFTER_MS ? failure : undefined;
    },
    addReplacement(bearer) {
      if (!isReplacement(bearer)) replacements = [...replacements, { bearer, at: now() }];
    },
    isReplacement,
    allowsReplacement(bearer) {
      const since = now() - REPLACEMENTS_WITHIN_MS;
      replacements = replacements.filter(({ at, bearer: given }) => at > since || given === bearer);
      return replacements.length < MAX_REPLACEMENTS;
    },
    addRejection({ signature, bearer, record }) {
      // A rejection that only a sign-in can resolve is not retried automatically.
      const until = rejectsNewTokens(record, now()) ? rejectedUntil(record) : Number.POSITIVE_INFINITY;
      last = { signature, bearer, until };
    },
    hasChanged(signature, readBearer) {
      if (last !== undefined && now() >= last.until) return true;
      if (last?.signature === signature) return false;
      try {
        if (readBearer() !== last?.bearer || last === undefined) return true;
      } catch {
        // An unreadable file is a change: the next attempt reports the error.
        return true;
      }
      // The change concerned another server.
      last.signature = signature;
      return false;
    },
  };
}

const RETRY_AFTER_MS = 1_000;
/** Below the transport's limit of three attempts, because our error is clearer than its own. */
const MAX_REPLACEMENTS = 2;
const REPLACEMENTS_WITHIN_MS = 30_000;

/** Returns whether the server is assumed to reject every new token, as it did a short time ago. */
export function rejectsNewTokens(record: AuthRecord | undefined, now: number): record is AuthRecord {
  return record !== undefined && rejectedUntil(record) > now;
}

function rejectedUntil({ rejectedAt = Number.NEGATIVE_INFINITY }: AuthRecord): number {
  return rejectedAt + REJECTION_WINDOW_MS;
}

const REJECTION_WINDOW_MS = 5 * 60_000;
