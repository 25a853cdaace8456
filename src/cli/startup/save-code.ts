import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from 'node:vm';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { catalogFolder } from '../../upstream/catalog-cache/cache-folder.ts';
import { type CodeCache, isWrittenByUs } from './code-cache.ts';

/**
 * Saves the compiled code of these scripts, by file name, and removes the code of builds that are no longer used.
 * Without `mayCreate`, saves only beside other cached data: a command that only reads must not write into a home that
 * Switchboard has never used.
 */
export function saveCode(
  { folder, isChosen }: CodeCache,
  scripts: ReadonlyMap<string, Script>,
  { mayCreate }: { mayCreate: boolean },
): void {
  const all = dirname(folder);
  if (!mayCreate && !isChosen && !existsSync(all) && !existsSync(catalogFolder(dirname(all)))) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // With the home folder of another user, as under sudo, neither of us runs the code of the other.
    if (!isWrittenByUs(statSync(folder))) return;
    // Flushed to disk, because V8 does not notice a file whose end was lost in a power failure.
    for (const [name, script] of scripts)
      writeFileAtomic(join(folder, name), script.createCachedData(), { isDurable: true });
    removeUnused(all);
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
