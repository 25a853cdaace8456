import type { ConfigFile, FileEntry } from '../files/config-file.ts';
import type { FileView } from '../views/read-views.ts';
import { fingerprint, linkedFolder, viewFingerprint } from './fingerprint.ts';
import type { TrustRecord } from './trust-store.ts';

/** Returns the trust record of an entry; empty for a broken entry, which nobody can approve. */
export function toRecord(key: Buffer, file: ConfigFile, entry: FileEntry): readonly TrustRecord[] {
  return recordOf(file, entry.id, fingerprint(key, file, entry));
}

/** Returns the trust record of a view; empty for a broken view. No id of our own dialect contains a dot. */
export function toViewRecord(key: Buffer, file: ConfigFile, view: FileView): readonly TrustRecord[] {
  return recordOf(file, `views.${view.name}`, viewFingerprint(key, file, view));
}

function recordOf(file: ConfigFile, id: string, found: string | undefined): readonly TrustRecord[] {
  if (found === undefined) return [];
  const folder = linkedFolder(file);
  return [{ file: file.realPath, ...(folder === undefined ? {} : { folder }), id, fingerprint: found }];
}

/** The identity of a config file in the trust store: its real path, and the folder in which a link to it was found. */
export type TrustedFile = Pick<TrustRecord, 'file' | 'folder'>;

export function isSameFile(a: TrustedFile, b: TrustedFile): boolean {
  return a.file === b.file && a.folder === b.folder;
}
