import { lstat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { Git } from './git.ts';

/** A work tree, and our own git directory with its snapshot. */
export interface Tree {
  readonly git: Git;
  readonly gitDir: string;
  readonly workTree: string;
  /** The folder of the session, in the work tree. */
  readonly folder: string;
  /** Files that are too large for the snapshot, with their fingerprints. */
  readonly large: ReadonlyMap<string, string>;
}

/** Names are relative to the work tree. Nested repositories are left out. */
export interface ChangedNames {
  readonly names: readonly string[];
  /** The names that are not in the index. */
  readonly untracked: ReadonlySet<string>;
}

/** At most this many changed files are compared. */
export const MAX_FILES = 5_000;
/** Larger files are not stored in the snapshot. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** Lists the changed, new and deleted files, compared with the index. */
export async function listChanged(git: Git, scope: string): Promise<ChangedNames> {
  const args = ['ls-files', '-z', '-t', '-m', '-d', '-o', '--exclude-standard', '--', `:(top,literal)${scope}`];
  // Each line is a letter, a space and a name. A deleted file is listed twice.
  const listed = (await git.run(args)).split('\0').filter((line) => line !== '' && !line.endsWith('/'));
  const untracked = listed
    .filter((line) => line.startsWith(UNTRACKED_PREFIX))
    .map((line) => line.slice(UNTRACKED_PREFIX.length));
  return {
    names: [...new Set(listed.map((line) => line.slice(UNTRACKED_PREFIX.length)))],
    untracked: new Set(untracked),
  };
}

const UNTRACKED_PREFIX = '? ';

/** Returns the size of a file, and a fingerprint that changes whenever the file changes. */
export async function statFile(path: string): Promise<{ readonly size: number; readonly fingerprint: string }> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return { size: 0, fingerprint: '' };
  return { size: Number(found.size), fingerprint: `${found.ino}.${found.size}.${found.mtimeNs}.${found.ctimeNs}` };
}

/** Returns the path of the folder in the work tree, with slashes. Empty for the work tree itself. */
export function scopeOf(workTree: string, folder: string): string {
  const inside = relative(workTree, folder);
  return sep === '/' ? inside : inside.replaceAll(sep, '/');
}
