import { checksum, sha256 } from '../../base/digest.ts';
import { isProjectLayer } from '../files/sources.ts';
import type { ServerEntry } from '../server-entry.ts';
import { serverInputs } from './compare-entries.ts';

/**
 * Returns a hash that is equal for two entries that define the same server, wherever they are written. It does not
 * reveal their content.
 */
export function entryIdentity(entry: ServerEntry): string {
  return sha256(JSON.stringify(serverInputs(entry), sortKeys)).slice(0, IDENTITY_DIGITS);
}

const IDENTITY_DIGITS = 32;

/**
 * Returns a similar hash without cryptography, which takes longer to load than a short command may take. Only for
 * comparing servers among our own processes, where collision attacks are not a concern.
 */
export function entryChecksum(entry: ServerEntry, cwd: string): string {
  // A program without a working folder of its own runs in that of the process that starts it.
  const { transport, origin } = entry;
  const isFolderIndependent = transport.kind === 'stdio' && transport.cwd === undefined && !isProjectLayer(origin);
  const facts = JSON.stringify([...serverInputs(entry), isFolderIndependent ? cwd : ''], sortKeys);
  return [0, 1, 2, 3].map((salt) => checksum(Buffer.from(`${salt}${facts}`))).join('');
}

/** Sorts keys, because two files may write them in different orders. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
