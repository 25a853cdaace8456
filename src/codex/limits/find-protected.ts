import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { realPathOf } from '../real-folder.ts';
import { isInside } from './operator-limits.ts';
import type { ProtectedFolder } from './protected-folders.ts';
import { traceLinks } from './trace-links.ts';

/** Where protected folders, and the links in them, lead at one moment. */
export interface ProtectedTargets {
  readonly folders: readonly { readonly what: string; readonly targets: readonly string[] }[];
  readonly links: readonly { readonly link: string; readonly targets: readonly string[] }[];
}

/** Resolves the protected folders and every link in them. */
export function resolveProtected(protectedFolders: readonly ProtectedFolder[]): ProtectedTargets {
  return {
    folders: protectedFolders.map(({ path, what }) => ({ what, targets: traceLinks(path) })),
    links: protectedFolders.flatMap(({ path }) => linksIn(path)).map((link) => ({ link, targets: traceLinks(link) })),
  };
}

/**
 * Describes, for messages, how write access to a folder reaches protected files. Returns undefined if it does not. In a
 * protected folder, `config.toml` may be a link into a folder of dotfiles: write access there amounts to write access
 * to the protected folder itself.
 */
export function findProtected(folder: string, { folders, links }: ProtectedTargets): string | undefined {
  const from = realPathOf(folder);
  const isReached = (target: string) => isInside(from, target) || isInside(target, from);
  const held = folders.find(({ targets }) => targets.some(isReached));
  if (held !== undefined) return `${folder} is, contains or is inside ${held.what}`;
  for (const { link, targets } of links) {
    const target = targets.find(isReached);
    if (target === undefined) continue;
    return `${folder} ${isInside(from, target) ? 'contains' : 'is inside'} ${target}, the target of the link ${link}`;
  }
  return undefined;
}

/** Subfolders of CODEX_HOME with further files that decide what runs. Each of their entries may be a link. */
const SUBFOLDERS = ['rules', 'agents'];

function linksIn(folder: string): readonly string[] {
  return [folder, ...SUBFOLDERS.map((name) => join(folder, name))].flatMap((parent) =>
    entriesOf(parent)
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => join(parent, name)),
  );
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The folder does not exist, or this process cannot read it: then Codex cannot read it either.
    return [];
  }
}
