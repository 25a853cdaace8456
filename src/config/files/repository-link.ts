import { lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the first symbolic link on this path that is inside a repository, where other people decide on its target.
 * Links elsewhere are the user's own.
 */
export function repositoryLink(file: string): string | undefined {
  return pathsTo(file).find((path) => isLink(path) && isInRepository(dirname(path)));
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Returns every path from the root down to the file itself. */
function pathsTo(file: string): readonly string[] {
  const folder = dirname(file);
  return folder === file ? [file] : [...pathsTo(folder), file];
}

/**
 * Returns whether a folder is inside a repository. Ignores `.git` in a folder such as /tmp, where every user can create
 * one.
 */
function isInRepository(folder: string): boolean {
  return pathsTo(folder).some((path) => hasGit(path) && (statSync(path).mode & 0o002) === 0);
}

/** Returns whether a folder has a non-empty `.git`: the Codex sandbox leaves empty ones behind. */
function hasGit(folder: string): boolean {
  const git = join(folder, '.git');
  const found = statSync(git, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory()) return true;
  try {
    return readdirSync(git).length > 0;
  } catch {
    // It cannot be read, so it may not be empty.
    return true;
  }
}
