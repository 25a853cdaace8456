import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { codeFolder, type Environment } from '../../config/files/folders.ts';

export interface CodeCache {
  /** Folder for this build on this version of Node. */
  readonly folder: string;
  /** The user named the folder. */
  readonly isChosen: boolean;
}

/** Returns where compiled code is, or undefined if it is turned off. */
export function locateCodeCache({ env, home, platform, buildId }: Location): CodeCache | undefined {
  try {
    const all = codeFolder({ env, home, platform, cwd: process.cwd() });
    if (all === undefined) return undefined;
    const folder = join(all, `${buildId}-${process.version}-${process.arch}`);
    return { folder, isChosen: env['SWITCHBOARD_CODE_CACHE'] !== undefined };
  } catch {
    // The working folder was deleted. Commands that need it report that.
    return undefined;
  }
}

type Location = Omit<Environment, 'cwd'> & {
  /** Changes with every build: V8 compares only the length of the source. */
  readonly buildId: string;
};

export interface CachedCode {
  /** Name of the file in the cache folder. */
  readonly name: string;
  /** Undefined if the code of this part was never saved, or if another user could have written it. */
  readonly data: Buffer | undefined;
  /** Saved long ago, so it may be replaced. */
  readonly isOld: boolean;
}

/** Reads the compiled code of a part, if there is any. */
export function readCachedCode(folder: string, { root, file }: { root: string; file: string }): CachedCode {
  const name = nameOf(relative(root, file), statSync(file));
  const saved = readOwned(join(folder, name));
  return { name, data: saved?.data, isOld: saved !== undefined && Date.now() - saved.mtimeMs > OLD_AFTER_MS };
}

/** Whether only this user can have written the file or folder: V8 runs what it contains without any check. */
export function isWrittenByUs({ uid, mode }: Stats): boolean {
  if (process.getuid === undefined) return true;
  return uid === process.getuid() && (mode & OTHERS_MAY_WRITE) === 0;
}

const OTHERS_MAY_WRITE = 0o022;
const OLD_AFTER_MS = 24 * 60 * 60 * 1000;

/** Size and time detect a part that was edited by hand. */
function nameOf(path: string, { size, mtimeMs }: Stats): string {
  return `${path.split(sep).join('+')}-${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}`;
}

function readOwned(file: string): { data: Buffer; mtimeMs: number } | undefined {
  let opened: number | undefined;
  try {
    opened = openSync(file, 'r');
    const stats = fstatSync(opened);
    if (!isWrittenByUs(stats)) return undefined;
    const data = Buffer.allocUnsafeSlow(stats.size);
    return readSync(opened, data) === stats.size ? { data, mtimeMs: stats.mtimeMs } : undefined;
  } catch {
    // Not saved yet, or not readable: the part is compiled from its source.
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
