import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { pathAndParents } from '../files/real-path.ts';

/**
 * Returns why other users could change a file after you trust it, as sentences to display: the file or one of its
 * parent folders belongs to another user or is writable for every user. Empty on systems without file owners.
 */
export function ownerWarnings(file: string): readonly string[] {
  const own = process.getuid?.();
  if (own === undefined) return [];
  const folder = dirname(file);
  return pathAndParents(file, process.platform).flatMap((path) => {
    const stats = inspectPath(path);
    if (stats === undefined) return [];
    // System folders belong to root, who can change everything anyway.
    const isOfSystem = stats.uid === 0 && path !== file && path !== folder;
    if (stats.uid !== own && !isOfSystem)
      return [`${escapeInvisible(path)} belongs to another user (uid ${stats.uid}; yours is ${own}).`];
    return isWorldWritable(stats) ? [`${escapeInvisible(path)} can be changed by every user of this machine.`] : [];
  });
}

/**
 * Returns whether every user can change a path. In a folder with the sticky bit, like /tmp, only the owner of a file
 * can replace it.
 */
function isWorldWritable(stats: Stats): boolean {
  const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0;
  return (stats.mode & 0o002) !== 0 && !isSticky && !stats.isSymbolicLink();
}

function inspectPath(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // The file was readable a moment ago. If it no longer is, the next read reports the error.
    return undefined;
  }
}
