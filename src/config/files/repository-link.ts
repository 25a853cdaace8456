import { lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { pathAndParents } from './real-path.ts';

/**
 * Returns the first symbolic link on this path that is inside a repository, where other people decide on its target.
 * Links elsewhere are the user's own.
 */
export function repositoryLink(file: string): string | undefined {
  return pathAndParents(file, process.platform).findLast((path) => isLink(path) && isInRepository(dirname(path)));
}

/** Explains why switchboard does not write through a repository's link. The text continues a sentence after a colon. */
export function describeRepositoryLink(link: string): string {
  return `${escapeInvisible(link)} is a symbolic link in a repository, and Switchboard does not write through it; replace it with a file or a folder`;
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/**
 * Returns whether a folder is inside a repository. Ignores `.git` in a folder such as /tmp, where every user can create
 * one.
 */
function isInRepository(folder: string): boolean {
  return pathAndParents(folder, process.platform).some((path) => hasGit(path) && (statSync(path).mode & 0o002) === 0);
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
