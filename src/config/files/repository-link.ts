import { lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The first symbolic link on the way to this path that lies inside a repository, where others decide what it leads to.
 * Links elsewhere are the user's own.
 */
export function repositoryLink(file: string): string | undefined {
  return pathsTo(file).find((path) => isLink(path) && isInRepository(dirname(path)));
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** From the root down to the file itself. */
function pathsTo(file: string): readonly string[] {
  const folder = dirname(file);
  return folder === file ? [file] : [...pathsTo(folder), file];
}

/** A `.git` in a folder like /tmp, where everybody can make one, means nothing. */
function isInRepository(folder: string): boolean {
  return pathsTo(folder).some((path) => hasGit(path) && (statSync(path).mode & 0o002) === 0);
}

/** An empty `.git` makes no repository: the sandbox of Codex leaves some behind. */
function hasGit(folder: string): boolean {
  const git = join(folder, '.git');
  const found = statSync(git, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory()) return true;
  try {
    return readdirSync(git).length > 0;
  } catch {
    // It cannot be read: that it is empty cannot be known.
    return true;
  }
}
