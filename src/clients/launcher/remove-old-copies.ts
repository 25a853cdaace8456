import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config/files/folders.ts';
import { appFolder, readCurrentCopy } from './app-copy.ts';

/** Removes the copies that the launcher no longer runs and that no process uses. Returns their names. */
export function removeOldCopies(environment: Environment): readonly string[] {
  const folder = appFolder(environment);
  const current = readCurrentCopy(environment)?.name;
  const others = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== current)
    .map(({ name }) => name);
  const commandLines = environment.platform === 'linux' ? readCommandLines() : undefined;
  const unused = others.filter((name) => {
    const copy = join(folder, name);
    return name.endsWith('.tmp') ? isOlderThan(copy, ABANDONED_AFTER_MS) : !isInUse(copy, commandLines);
  });
  for (const name of unused) rmSync(join(folder, name), { recursive: true, force: true });
  return unused;
}

/** Where processes cannot be listed, a copy stays for a while after it was replaced. */
const KEPT_FOR_MS = 30 * 24 * 60 * 60 * 1000;
/** Another process may be making a copy. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

function isInUse(copy: string, commandLines: readonly string[] | undefined): boolean {
  if (commandLines === undefined) return !isOlderThan(copy, KEPT_FOR_MS);
  return commandLines.some((line) => line.includes(`${copy}/`));
}

function isOlderThan(path: string, ms: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ms;
}

function readCommandLines(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      } catch {
        // The process has exited.
        return [];
      }
    });
}
