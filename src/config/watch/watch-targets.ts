import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, parse, sep } from 'node:path';

/** Names to watch, by folder. The folders exist, and their paths contain no links. */
export type WatchTargets = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Returns all paths that determine the content of these files: each folder on the way, each link and its target. If a
 * path ends early, its first missing name is included. As long as none of them changes, the files resolve to the same
 * targets.
 */
export function findWatchTargets(files: readonly string[]): WatchTargets {
  const targets = new Map<string, Set<string>>();
  for (const file of files) followPath(file, targets);
  return targets;
}

/** The limit of the operating system. */
const MAX_LINKS = 40;

function followPath(file: string, targets: Map<string, Set<string>>): void {
  let { folder, names } = split(file);
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '..') {
      folder = dirname(folder);
      continue;
    }
    addTarget(targets, folder, name);
    const path = join(folder, name);
    const { isFolder, target } = inspectPath(path);
    if (target !== undefined && ++links <= MAX_LINKS) {
      const next = split(target);
      folder = next.folder === '' ? folder : next.folder;
      names = [...next.names, ...names];
    } else if (isFolder) folder = path;
    else return;
  }
}

/** Splits a path into its root folder and names. The folder is empty for a relative path. */
function split(path: string): { readonly folder: string; readonly names: string[] } {
  const { root } = parse(path);
  // Windows accepts both separators.
  const names = path.slice(root.length).split(sep === '\\' ? /[/\\]/ : '/');
  return { folder: root, names: names.filter((name) => name !== '' && name !== '.') };
}

function addTarget(targets: Map<string, Set<string>>, folder: string, name: string): void {
  const names = targets.get(folder);
  if (names === undefined) targets.set(folder, new Set([name]));
  else names.add(name);
}

function inspectPath(path: string): { readonly isFolder: boolean; readonly target: string | undefined } {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const target = stats?.isSymbolicLink() ? readlinkSync(path) : undefined;
    return { isFolder: stats?.isDirectory() ?? false, target };
  } catch {
    // Inaccessible, or removed between two calls: the path ends here.
    return { isFolder: false, target: undefined };
  }
}
