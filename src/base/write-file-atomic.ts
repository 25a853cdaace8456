import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomHex } from './digest.ts';

/**
 * Writes a file that nobody else may read, whole or not at all: a reader sees the old one or the new one, and whoever is
 * interrupted, or finds the disk full, leaves the old one as it is.
 */
export function writeFileAtomic(file: string, content: string | Buffer, options: WriteOptions = {}): void {
  const { isDurable = false, beforeRename } = options;
  const temporary = `${file}.${randomHex(6)}.tmp`;
  try {
    // Made here and nowhere else: what stands there already, a link for example, is not written to.
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600, flush: isDurable });
    beforeRename?.(temporary);
    renameSync(temporary, file);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
}

interface WriteOptions {
  /** It is on the disk when this returns, which takes its time: for what cannot be made again. */
  readonly isDurable?: boolean;
  /** Sees the new file under its first name. */
  readonly beforeRename?: (temporary: string) => void;
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It was never made; why the writing failed is what counts.
  }
}
