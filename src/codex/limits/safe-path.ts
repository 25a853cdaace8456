import { accessSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../base/files/errno.ts';
import { platformPath } from '../../config/files/folders.ts';
import { type FindWritableFolder, nothingWritable } from './writable-folders.ts';

export interface SafePathOptions {
  readonly platform: NodeJS.Platform;
  readonly findWritableFolder: FindWritableFolder;
}

/**
 * Returns a PATH for programs that run outside of the sandbox. It omits folders in which a session could plant or
 * replace a `git`. It also omits relative and empty entries, which mean the working folder or a folder in it.
 */
export function safePath(path: string, options: SafePathOptions): string {
  const { delimiter } = platformPath(options.platform);
  const safe = path.split(delimiter).filter((entry) => isSafeEntry(entry, options));
  // An empty PATH would mean the working folder.
  return safe.length === 0 && options.platform !== 'win32' ? '/usr/bin:/bin' : safe.join(delimiter);
}

/**
 * Returns whether no session can decide which programs a PATH folder provides. A program in it may be a link to a
 * folder that sessions may write to. All links count: Codex starts scripts such as `lsb_release` outside of the
 * sandbox, and those start other programs.
 */
export function isSafeEntry(entry: string, { platform, findWritableFolder }: SafePathOptions): boolean {
  if (!platformPath(platform).isAbsolute(entry)) return false;
  if (findWritableFolder === nothingWritable) return true;
  const links = linksIn(entry);
  return links !== undefined && [entry, ...links].every((path) => findWritableFolder(path) === undefined);
}

/** Undefined if programs can start from the folder although it cannot be listed. */
function linksIn(folder: string): readonly string[] | undefined {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
  } catch {
    return isTraversable(folder) ? undefined : [];
  }
}

/** False for a folder that does not exist, is a file, or is closed to this user. */
function isTraversable(folder: string): boolean {
  try {
    accessSync(join(folder, '.'), constants.X_OK);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '');
  }
}

/** Returns the environment with a safe PATH. */
export function withSafePath(
  env: Readonly<Record<string, string | undefined>>,
  options: SafePathOptions,
): Readonly<Record<string, string | undefined>> {
  const isPath = (name: string) => (options.platform === 'win32' ? name.toUpperCase() : name) === 'PATH';
  const name = Object.keys(env).find(isPath) ?? 'PATH';
  return { ...env, [name]: safePath(env[name] ?? '', options) };
}
