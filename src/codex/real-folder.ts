import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * The path with all its links resolved; of one that does not exist, those of the part that does. Where the file system
 * ignores case, `native` gives the names as they are stored.
 */
export function realPathOf(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync.native(full);
  } catch {
    const parent = dirname(full);
    return parent === full ? full : join(realPathOf(parent), basename(full));
  }
}
