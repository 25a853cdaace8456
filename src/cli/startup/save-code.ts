import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from 'node:vm';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { isWrittenByUs } from './code-cache.ts';

/** Saves the compiled code of these scripts, by file name, and removes the code of builds that are no longer used. */
export function saveCode(folder: string, scripts: ReadonlyMap<string, Script>): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // With the home folder of another user, as under sudo, neither of us runs the code of the other.
    if (!isWrittenByUs(statSync(folder))) return;
    // Flushed to disk, because V8 does not notice a file whose end was lost in a power failure.
    for (const [name, script] of scripts)
      writeFileAtomic(join(folder, name), script.createCachedData(), { isDurable: true });
    removeUnused(dirname(folder));
  } catch {
    // A read-only or full disk. Every start compiles the code again.
  }
}

const UNUSED_AFTER_MS = 30 * 24 * 60 * 60 * 1000;

function removeUnused(folder: string): void {
  for (const build of readdirSync(folder)) {
    const path = join(folder, build);
    if (Date.now() - statSync(path).mtimeMs > UNUSED_AFTER_MS) rmSync(path, { recursive: true, force: true });
  }
}
