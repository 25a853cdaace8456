import type { ConfigFile, FileEntry } from '../files/config-file.ts';
import { fingerprint, linkedFolder } from './fingerprint.ts';
import type { TrustRecord } from './trust-store.ts';

/** Returns the trust record of an entry; empty for a broken entry, which nobody can approve. */
export function toRecord(key: Buffer, file: ConfigFile, entry: FileEntry): readonly TrustRecord[] {
  const found = fingerprint(key, file, entry);
  if (found === undefined) return [];
  const folder = linkedFolder(file);
  return [{ file: file.realPath, ...(folder === undefined ? {} : { folder }), id: entry.id, fingerprint: found }];
}

/** The identity of a config file in the trust store: its real path, and the folder in which a link to it was found. */
export type TrustedFile = Pick<TrustRecord, 'file' | 'folder'>;

export function isSameFile(a: TrustedFile, b: TrustedFile): boolean {
  return a.file === b.file && a.folder === b.folder;
}
