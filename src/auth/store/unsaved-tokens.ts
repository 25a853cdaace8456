import type { AuthRecord } from './auth-record.ts';

/**
 * New tokens that are not in the file yet. The tokens that they replace are no longer valid, wherever they are stored.
 */
export interface UnsavedTokens {
  readonly replaced: AuthRecord;
  readonly apply: (stored: AuthRecord) => AuthRecord;
}

/** Applies the new tokens if the file still has the replaced ones. Otherwise someone has signed in or out meanwhile. */
export function applyUnsaved<T extends AuthRecord | undefined>(
  stored: T,
  unsaved: UnsavedTokens | undefined,
): T | AuthRecord {
  if (stored === undefined || unsaved === undefined || !hasSameTokens(stored, unsaved.replaced)) return stored;
  return unsaved.apply(stored);
}

/** Returns whether the stored tokens are the known ones, for the same server URL. */
export function hasSameTokens(stored: AuthRecord | undefined, known: AuthRecord): stored is AuthRecord {
  if (stored === undefined || stored.url !== known.url) return false;
  return stored.refreshToken === known.refreshToken && stored.accessToken === known.accessToken;
}
