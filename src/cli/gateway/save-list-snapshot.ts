import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ListSnapshot,
  readListSnapshot,
  type SnapshotLocation,
  writeListSnapshot,
} from '../../gateway/cache/list-snapshot.ts';
import { isExpired } from '../../upstream/catalog-cache/cache-folder.ts';

/** Keeps a list of tools for the next start. May throw: whoever calls it goes on without. */
export function saveListSnapshot(location: SnapshotLocation, list: ListSnapshot): void {
  // Written again, it would be the same.
  const saved = readListSnapshot(location);
  if (saved?.result === list.result && saved.instructions === list.instructions) return;
  writeListSnapshot(location, list);
  prune(location.folder);
}

/** As with catalogs: what nobody wanted for a month, and what an interrupted writer left. */
function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const stats = OWN_NAME.test(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    const isOld = stats?.isFile() === true && isExpired(stats, Date.now());
    if (isOld) rmSync(file, { force: true });
  }
}

const OWN_NAME = /^[0-9a-f]{16}\.list(\.[0-9a-f]{12}\.tmp)?$/;
