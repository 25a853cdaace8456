import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type PreparedList,
  type PreparedPlace,
  readPreparedList,
  writePreparedList,
} from '../../gateway/cache/list-snapshot.ts';
import { isUnused } from '../../upstream/catalog-cache/cache-folder.ts';

/** Keeps a list of tools for the next start. May throw: whoever calls it goes on without. */
export function keepList(place: PreparedPlace, list: PreparedList): void {
  // Written again, it would be the same.
  const kept = readPreparedList(place);
  if (kept?.result === list.result && kept.instructions === list.instructions) return;
  writePreparedList(place, list);
  prune(place.folder);
}

/** As with catalogs: what nobody wanted for a month, and what an interrupted writer left. */
function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const stats = OWN_NAME.test(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    const isOld = stats?.isFile() === true && isUnused(stats, Date.now());
    if (isOld) rmSync(file, { force: true });
  }
}

const OWN_NAME = /^[0-9a-f]{16}\.list(\.[0-9a-f]{12}\.tmp)?$/;
