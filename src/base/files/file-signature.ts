import { statSync } from 'node:fs';
import { errnoOf } from './errno.ts';

/** A short text that is another one whenever the content of the file may be. What a folder holds is none of ours. */
export function readFileSignature(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return 'absent';
    if (!stats.isFile()) return stats.isDirectory() ? 'folder' : 'other';
    // The time of the last change of any kind too: some programs set the other one back after they have written.
    const { dev, ino, size, mode, mtimeNs, ctimeNs } = stats;
    return [dev, ino, size, mode, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return errnoOf(error) ?? 'unknown';
  }
}
