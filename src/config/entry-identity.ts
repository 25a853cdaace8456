import { sha256 } from '../base/digest.ts';
import { serverFacts } from './compare-entries.ts';
import type { ServerEntry } from './server-entry.ts';

/** The same for two entries that mean the same server, wherever they stand. Tells nothing of what is in them. */
export function entryIdentity(entry: ServerEntry): string {
  return sha256(JSON.stringify(serverFacts(entry), inOrder)).slice(0, IDENTITY_DIGITS);
}

const IDENTITY_DIGITS = 32;

/** Keys in a fixed order: two files may write them in different ones. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
