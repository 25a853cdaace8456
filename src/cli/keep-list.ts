import type { LoadOptions } from '../config/load-config.ts';
import { pinFile } from '../config/pin-store.ts';
import { configFilesOf } from '../config/watched-files.ts';
import {
  type PreparedList,
  type PreparedPlace,
  readPreparedList,
  writePreparedList,
} from '../gateway/prepared-list.ts';

/** Keeps a list of tools for the next start, with all files that decide what is in it. */
export function keepList(place: PreparedPlace, list: PreparedList, loadOptions: LoadOptions): void {
  // Written again, it would be the same.
  if (readPreparedList(place) === list.result) return;
  const files = [...configFilesOf(loadOptions), pinFile(loadOptions), ...list.files];
  writePreparedList(place, { ...list, files });
}
