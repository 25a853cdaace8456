import { statSync } from 'node:fs';
import { errnoOf } from './errno.ts';

/** Returns a short text that changes whenever the content of the file may have changed. Ignores files in a folder. */
export function readFileSignature(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return 'absent';
    if (!stats.isFile()) return stats.isDirectory() ? 'folder' : 'other';
    // Includes ctime, because some programs reset mtime after writing.
    const { dev, ino, size, mode, mtimeNs, ctimeNs } = stats;
    return [dev, ino, size, mode, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return errnoOf(error) ?? 'unknown';
  }
}
