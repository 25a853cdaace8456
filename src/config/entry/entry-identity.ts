import { checksum, sha256 } from '../../base/digest.ts';
import { isProjectLayer } from '../files/sources.ts';
import type { ServerEntry } from '../server-entry.ts';
import { serverInputs } from './compare-entries.ts';

/** The same for two entries that mean the same server, wherever they stand. Tells nothing of what is in them. */
export function entryIdentity(entry: ServerEntry): string {
  return sha256(JSON.stringify(serverInputs(entry), sortKeys)).slice(0, IDENTITY_DIGITS);
}

const IDENTITY_DIGITS = 32;

/**
 * The same without cryptography, which takes longer to load than a short command may take: for whoever wants to know
 * whether two of our own processes mean the same server, and is attacked by nobody.
 */
export function entryChecksum(entry: ServerEntry, cwd: string): string {
  // A program that is started nowhere in particular works where whoever starts it is.
  const { transport, origin } = entry;
  const isAnywhere = transport.kind === 'stdio' && transport.cwd === undefined && !isProjectLayer(origin);
  const facts = JSON.stringify([...serverInputs(entry), isAnywhere ? cwd : ''], sortKeys);
  return [0, 1, 2, 3].map((salt) => checksum(Buffer.from(`${salt}${facts}`))).join('');
}

/** Keys in a fixed order: two files may write them in different ones. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
