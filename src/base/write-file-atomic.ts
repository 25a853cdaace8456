import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomHex } from './digest.ts';

/**
 * Writes a file that only its owner may read, completely or not at all. A reader sees the old content or the new one.
 * After an interruption, or on a full disk, the old file is unchanged.
 */
export function writeFileAtomic(file: string, content: string | Buffer, options: WriteOptions = {}): void {
  const { isDurable = false, beforeRename } = options;
  const temporary = `${file}.${randomHex(6)}.tmp`;
  try {
    // `wx` fails if the path exists, so a planted link is never followed.
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600, flush: isDurable });
    beforeRename?.(temporary);
    renameSync(temporary, file);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
}

interface WriteOptions {
  /** Flushes the file to disk before returning, which is slow. For data that cannot be recreated. */
  readonly isDurable?: boolean;
  /** Called with the path of the complete temporary file, before it replaces the old file. */
  readonly beforeRename?: (temporary: string) => void;
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The error that made the write fail matters more than this one.
  }
}
