import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The path with all its links resolved; of one that does not exist, those of the part that does. */
export function realFolder(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    const parent = dirname(full);
    return parent === full ? full : join(realFolder(parent), basename(full));
  }
}
