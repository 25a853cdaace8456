import { dirname, relative, resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { realPathOf } from '../real-folder.ts';
import type { ServerContext } from '../server-context.ts';
import { findProtected, type ProtectedTargets, resolveProtected } from './find-protected.ts';
import { describeAllowedFolders, enforcesLimits, isInside, isPathAllowed } from './operator-limits.ts';
import { traceLinks } from './trace-links.ts';

/** The working folder of a turn and the folders that it may write to. */
export interface TurnFolders {
  readonly cwd: string;
  /** Writable folders besides the working folder. */
  readonly writable: readonly string[];
  /** Folders that the user's own config makes writable for every session. */
  readonly granted?: readonly string[];
  /** The temporary folders that the turn may write to as well. */
  readonly tempFolders: readonly string[];
  readonly isReadOnly: boolean;
}

interface FolderLimits extends Pick<ServerContext, 'operatorLimits' | 'protectedFolders' | 'home'> {
  /** Resolved earlier. Without it, the protected folders are resolved at the check. */
  readonly protectedTargets?: ProtectedTargets | undefined;
}

/**
 * Checks the folders of a turn right before it begins: a link may have replaced a folder since the last check. Throws
 * DENIED if a folder leads outside of the allowed folders, or to files that decide what runs outside of the sandbox.
 */
export function assertFoldersAllowed(turnFolders: TurnFolders, limits: FolderLimits): void {
  const { operatorLimits } = limits;
  const folders = [
    ...(turnFolders.cwd === '' ? [] : [turnFolders.cwd]),
    ...(turnFolders.isReadOnly ? [] : turnFolders.writable),
  ];
  const outside = folders.find((folder) => !isPathAllowed(operatorLimits, folder));
  if (outside !== undefined)
    throw denied(outside, `${outside} leads outside of ${describeAllowedFolders(operatorLimits)}`);
  // Every session may write to these, so they are checked only if the operator has set limits.
  const always = enforcesLimits(operatorLimits) ? [...(turnFolders.granted ?? []), ...turnFolders.tempFolders] : [];
  if (!operatorLimits.allowsDanger && !turnFolders.isReadOnly)
    assertNotProtected([...folders, ...always], turnFolders, limits);
  if (!enforcesLimits(operatorLimits)) return;
  assertOutsideHome(turnFolders, folders, limits);
  assertNoLinks(folders);
  if (turnFolders.isReadOnly) return;
  const all = [...folders, ...always];
  assertNotNested([
    ...new Set([...all.flatMap(traceLinks), ...all.map(realPathOf), ...all.map((folder) => resolve(folder))]),
  ]);
}

/** Refuses links: Codex resolves the path again for each command, and a session may be able to replace a link in it. */
function assertNoLinks(folders: readonly string[]): void {
  const linked = folders.find((folder) => realPathOf(folder) !== folder);
  if (linked === undefined) return;
  throw denied(
    linked,
    `${linked} is a symbolic link, or is reached through one. Start a session in ${realPathOf(linked)} instead.`,
  );
}

/** A session that may write to a folder can replace a folder or link in it, and Codex would open the new target. */
function assertNotNested(folders: readonly string[]): void {
  for (const outer of folders) {
    const inner = folders.find((folder) => folder !== outer && isInside(outer, folder));
    if (inner === undefined) continue;
    const text = `${inner} is inside ${outer}, which this session may also write to: it could replace the inner folder with a link that leads out of the sandbox. Leave one of them out.`;
    throw denied(inner, text);
  }
}

function assertNotProtected(
  folders: readonly string[],
  { granted = [] }: TurnFolders,
  { protectedFolders, protectedTargets = resolveProtected(protectedFolders) }: FolderLimits,
): void {
  for (const folder of folders) {
    const found = findProtected(folder, protectedTargets);
    if (found === undefined) continue;
    const next = granted.includes(folder)
      ? 'Remove it from sandbox_workspace_write.writable_roots in your Codex config, choose the sandbox read-only'
      : 'Choose another folder or the sandbox read-only';
    const text = `${found}, where files control what runs outside of any sandbox. ${next}, or ask the operator to allow it: switchboard codex --allow-dangerous.`;
    throw denied(folder, text);
  }
}

/** Returns whether write access to one of the folders includes write access to the other. */
export function overlaps(folder: string, other: string): boolean {
  const [from, to] = [realPathOf(folder), realPathOf(other)];
  return isInside(from, to) || isInside(to, from);
}

/** Shells and other programs run files of the home folder, most of them in hidden folders, without any sandbox. */
function assertOutsideHome(
  { cwd, isReadOnly }: TurnFolders,
  folders: readonly string[],
  { operatorLimits, home }: FolderLimits,
): void {
  const holdsHome = (folder: string) => isInside(realPathOf(folder), realPathOf(home));
  const [root = ''] = operatorLimits.roots;
  if (operatorLimits.isConfined === true && holdsHome(root) && !isReadOnly) {
    const text = `The folder of this server, ${root}, is or contains your home folder, where no session may write. Name the folders for sessions: switchboard codex --allow-root <dir>`;
    throw denied(cwd, text);
  }
  const held = folders.find((folder) => holdsHome(folder));
  if (held !== undefined)
    throw denied(
      held,
      `${held} is or contains the home folder, where sessions may not work when limits are set. Choose a folder inside it.`,
    );
  const hidden = isReadOnly
    ? undefined
    : folders.find((folder) => isHiddenInHome(realPathOf(folder), realPathOf(home), operatorLimits.roots));
  if (hidden === undefined) return;
  const text = `${hidden} is in a hidden folder of the home folder, where files can start programs. Choose another folder, or ask the operator to allow it: switchboard codex --allow-root ${hidden}`;
  throw denied(hidden, text);
}

/** Returns whether a real path is in a hidden folder of the home folder in which the operator has named no folder. */
export function isHiddenInHome(real: string, home: string, roots: readonly string[]): boolean {
  const inHidden = (path: string) => isInside(home, path) && relative(home, path).startsWith('.');
  return inHidden(real) && !roots.some((root) => inHidden(root) && isInside(root, real));
}

function denied(path: string, text: string): AppError {
  return new AppError('DENIED', text, { data: { path } });
}

/** Returns a folder and its ancestors up to and including `root`, nearest first. */
export function ancestorFolders(folder: string, root: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== root && dirname(at) !== at; ) {
    at = dirname(at);
    folders.push(at);
  }
  return folders;
}
