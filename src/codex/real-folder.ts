import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Returns the path with all its links resolved. For a path that does not exist, resolves the part that does. On a file
 * system that ignores case, `native` returns the names as they are stored.
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
