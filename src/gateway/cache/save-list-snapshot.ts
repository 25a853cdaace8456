import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isExpired } from '../../upstream/catalog-cache/cache-folder.ts';
import { type ListSnapshot, readListSnapshot, type SnapshotLocation, writeListSnapshot } from './list-snapshot.ts';

/** Saves a tool list for the next start. May throw; the caller continues without a snapshot. */
export function saveListSnapshot(location: SnapshotLocation, list: ListSnapshot): void {
  // Skips the write when nothing changed.
  const saved = readListSnapshot(location);
  const isSame = (name: 'result' | 'instructions' | 'capabilities') =>
    JSON.stringify(saved?.[name]) === JSON.stringify(list[name]);
  if (isSame('result') && isSame('instructions') && isSame('capabilities')) return;
  writeListSnapshot(location, list);
  prune(location.folder);
}

/** Removes snapshots that were unused for a month, and temporary files of interrupted writes, as for catalogs. */
function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const stats = OWN_NAME.test(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    const isOld = stats?.isFile() === true && isExpired(stats, Date.now());
    if (isOld) rmSync(file, { force: true });
  }
}

const OWN_NAME = /^[0-9a-f]{16}\.list(\.[0-9a-f]{12}\.tmp)?$/;
