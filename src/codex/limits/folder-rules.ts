import { dirname, relative, resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { realFolder } from '../real-folder.ts';
import type { Workplace } from '../server-context.ts';
import { findProtected } from './find-protected.ts';
import { allowedFolders, isAllowed, isEnforced, isInside } from './operator-limits.ts';
import { traceLinks } from './trace-links.ts';

/** Where a turn works and what it may write to. */
export interface Places {
  readonly cwd: string;
  /** Beside the working folder. */
  readonly writable: readonly string[];
  /** Folders that the user's own config makes writable for every session. */
  readonly granted?: readonly string[];
  /** The temporary folders that it may write to as well. */
  readonly temporary: readonly string[];
  readonly isReadOnly: boolean;
}

type Limits = Pick<Workplace, 'ceilings' | 'protectedFolders' | 'home'>;

/**
 * Checks the folders of a turn right before it begins: a link may have replaced a folder since it was checked. Throws
 * DENIED when one leads to where no session may work, or to files that decide what runs outside of the sandbox.
 */
export function refusePlaces(places: Places, limits: Limits): void {
  const { ceilings } = limits;
  const folders = [...(places.cwd === '' ? [] : [places.cwd]), ...(places.isReadOnly ? [] : places.writable)];
  const outside = folders.find((folder) => !isAllowed(ceilings, folder));
  if (outside !== undefined) throw denied(outside, `${outside} leads outside of ${allowedFolders(ceilings)}`);
  // Every session may write to these, so they are checked only if the operator has set limits.
  const always = isEnforced(ceilings) ? [...(places.granted ?? []), ...places.temporary] : [];
  if (!ceilings.allowsDanger && !places.isReadOnly)
    for (const folder of [...folders, ...always]) refuseProtected(folder, places, limits);
  if (!isEnforced(ceilings)) return;
  refuseHome(places, folders, limits);
  refuseLinked(folders);
  if (places.isReadOnly) return;
  const all = [...folders, ...always];
  refuseNested([
    ...new Set([...all.flatMap(traceLinks), ...all.map(realFolder), ...all.map((folder) => resolve(folder))]),
  ]);
}

/** Codex resolves the path again for each command, and a session may be able to replace a link in it. */
function refuseLinked(folders: readonly string[]): void {
  const linked = folders.find((folder) => realFolder(folder) !== folder);
  if (linked === undefined) return;
  throw denied(
    linked,
    `${linked} is a symbolic link, or is reached through one. Start a session in ${realFolder(linked)} instead.`,
  );
}

/** A session that may write to a folder can replace a folder or link in it, and Codex would open the new target. */
function refuseNested(folders: readonly string[]): void {
  for (const outer of folders) {
    const inner = folders.find((folder) => folder !== outer && isInside(outer, folder));
    if (inner === undefined) continue;
    const text = `${inner} lies in ${outer}, which this session may write to as well: it could replace the one by a link that leads out of the sandbox. Leave one of them out.`;
    throw denied(inner, text);
  }
}

function refuseProtected(folder: string, { granted = [] }: Places, { protectedFolders }: Limits): void {
  const found = findProtected(folder, protectedFolders);
  if (found === undefined) return;
  const next = granted.includes(folder)
    ? 'Remove it from sandbox_workspace_write.writable_roots in your Codex config, choose the sandbox read-only'
    : 'Choose another folder or the sandbox read-only';
  const text = `${found}, where files decide what runs outside of any sandbox. ${next}, or ask the operator to allow it: switchboard codex --allow-dangerous.`;
  throw denied(folder, text);
}

/** Whether somebody who may write to a folder may write to another. */
export function reaches(folder: string, other: string): boolean {
  const [from, to] = [realFolder(folder), realFolder(other)];
  return isInside(from, to) || isInside(to, from);
}

/** Shells and other programs run files of the home folder, most of them in hidden folders, without any sandbox. */
function refuseHome({ cwd, isReadOnly }: Places, folders: readonly string[], { ceilings, home }: Limits): void {
  const holdsHome = (folder: string) => isInside(realFolder(folder), realFolder(home));
  const [root = ''] = ceilings.roots;
  if (ceilings.isConfined === true && holdsHome(root) && !isReadOnly) {
    const text = `The folder of this server, ${root}, is or contains your home folder, where no session may write. Name the folders for sessions: switchboard codex --allow-root <dir>`;
    throw denied(cwd, text);
  }
  const held = folders.find((folder) => holdsHome(folder));
  if (held !== undefined)
    throw denied(
      held,
      `${held} is or contains the home folder, where no session works under limits. Choose a folder in it.`,
    );
  const hidden = isReadOnly
    ? undefined
    : folders.find((folder) => isHiddenPlace(realFolder(folder), realFolder(home), ceilings.roots));
  if (hidden === undefined) return;
  const text = `${hidden} lies in a hidden folder of the home folder, where files can start programs. Choose another folder, or let the operator name it: switchboard codex --allow-root ${hidden}`;
  throw denied(hidden, text);
}

/** Whether a real path lies in a hidden folder of the home folder, unless the operator has named a folder in there. */
export function isHiddenPlace(real: string, home: string, roots: readonly string[]): boolean {
  const inHidden = (path: string) => isInside(home, path) && relative(home, path).startsWith('.');
  return inHidden(real) && !roots.some((root) => inHidden(root) && isInside(root, real));
}

function denied(path: string, text: string): AppError {
  return new AppError('DENIED', text, { data: { path } });
}

/** The folders above a folder and itself, nearest first, up to and with `root`. */
export function foldersUpTo(folder: string, root: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== root && dirname(at) !== at; ) {
    at = dirname(at);
    folders.push(at);
  }
  return folders;
}
