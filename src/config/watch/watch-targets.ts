import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, parse, sep } from 'node:path';

/** Names by the folder that holds them; the folders exist, and no link leads to them. */
export type WatchTargets = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * All places that decide what stands under these paths: each folder on the way, each link and what it leads to. A way
 * that ends early has its missing name as its last place. As long as none of them changes, the way stays the same.
 */
export function findWatchTargets(files: readonly string[]): WatchTargets {
  const targets = new Map<string, Set<string>>();
  for (const file of files) followPath(file, targets);
  return targets;
}

/** As many as the system itself follows. */
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

/** The folder is empty for a path that counts from where it stands. */
function split(path: string): { readonly folder: string; readonly names: string[] } {
  const { root } = parse(path);
  // Windows takes both kinds of strokes.
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
    // Not to be reached, or gone between two looks: the way ends here.
    return { isFolder: false, target: undefined };
  }
}
