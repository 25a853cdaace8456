import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadOptions } from '../config/load-config.ts';
import { pinFile } from '../config/pin-store.ts';
import { configFilesOf } from '../config/watched-files.ts';
import {
  type PreparedList,
  type PreparedPlace,
  readPreparedList,
  writePreparedList,
} from '../gateway/prepared-list.ts';
import { isUnused } from '../upstream/catalog-cache-folder.ts';

/** Keeps a list of tools for the next start, with all files that decide what is in it. */
export function keepList(place: PreparedPlace, list: PreparedList, loadOptions: LoadOptions): void {
  // Written again, it would be the same.
  if (readPreparedList(place) === list.result) return;
  const files = [...configFilesOf(loadOptions), pinFile(loadOptions), ...list.files];
  writePreparedList(place, { ...list, files });
  prune(place.folder);
}

/** As with catalogs: what nobody wanted for a month, and what an interrupted writer left. */
function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const stats = OWN_NAME.test(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    const isOld = stats !== undefined && isUnused(stats, Date.now());
    if (isOld) rmSync(file, { force: true });
  }
}

const OWN_NAME = /^[0-9a-f]{32}\.list(\.[0-9a-f]{12}\.tmp)?$/;
