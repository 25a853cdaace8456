import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Finds the sessions that any Codex process has open now. Codex locks a file for each. The existence of the file proves
 * nothing, because a killed Codex leaves it behind. Returns none on a system without a list of lock holders.
 */
export async function findHeldSessions(codexHome: string): Promise<ReadonlySet<string>> {
  const folder = join(codexHome, 'thread-writer-locks');
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.lock') && !name.startsWith('.'));
  if (files.length === 0) return new Set();
  const locked = await lockedInodes();
  const inodes = await Promise.all(files.map((name) => stat(join(folder, name)).catch(() => undefined)));
  const held = files.filter((_, index) => locked.has(String(inodes[index]?.ino)));
  return new Set(held.map((name) => name.slice(0, -'.lock'.length)));
}

/** Parses `1: FLOCK  ADVISORY  WRITE 4711 fe:00:3145728 0 EOF`: the last part of the address is the inode. */
async function lockedInodes(): Promise<ReadonlySet<string>> {
  const table = await readFile('/proc/locks', 'utf8').catch(() => '');
  return new Set(
    [...table.matchAll(/FLOCK\s+ADVISORY\s+WRITE\s+\d+\s+\w+:\w+:(\d+)/g)].map(([, inode]) => inode ?? ''),
  );
}
