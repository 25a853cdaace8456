import type { AuthRecord } from './auth-record.ts';

/** New tokens that the file does not have yet. Those that they replace count no longer, wherever they stand. */
export interface UnsavedTokens {
  readonly replaced: AuthRecord;
  readonly apply: (stored: AuthRecord) => AuthRecord;
}

/** What counts: the new ones as long as the file has those that they replace. Somebody may have signed in, or out. */
export function applyUnsaved<T extends AuthRecord | undefined>(
  stored: T,
  unsaved: UnsavedTokens | undefined,
): T | AuthRecord {
  if (stored === undefined || unsaved === undefined || !hasSameTokens(stored, unsaved.replaced)) return stored;
  return unsaved.apply(stored);
}

/** Whether the tokens are those that somebody knows, for the same server. */
export function hasSameTokens(stored: AuthRecord | undefined, known: AuthRecord): stored is AuthRecord {
  if (stored === undefined || stored.url !== known.url) return false;
  return stored.refreshToken === known.refreshToken && stored.accessToken === known.accessToken;
}
