import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { randomHex, sha256 } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import { errnoOf } from '../../base/files/errno.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import {
  cacheFolder,
  dataFolder,
  type Environment,
  nonEmptyVariable,
  platformPath,
} from '../../config/files/folders.ts';
import { isTemporary } from './temporary-folder.ts';

/**
 * The folders that may hold sockets of running switchboards, the best first. A process that starts uses the first usable
 * one. A command that looks for running processes reads all of them, because the two may have different environments:
 * Codex passes no XDG variable to its servers. Folders that a variable puts into a temporary folder are left out,
 * because sessions may write there. SWITCHBOARD_HOME and the home folder are used wherever they are: the user chose them.
 */
export function socketFolders(environment: Environment): readonly string[] {
  const { env, platform } = environment;
  const { join, isAbsolute } = platformPath(platform);
  const besideData = join(dataFolder(environment), 'run');
  if (platform === 'win32') return [besideData];
  if (nonEmptyVariable(env, 'SWITCHBOARD_HOME') !== undefined) return withinPathLimit(besideData, environment);
  const runtime = nonEmptyVariable(env, 'XDG_RUNTIME_DIR');
  const isOurs = runtime !== undefined && isAbsolute(runtime) && !belongsToAnotherUser(runtime);
  const named = [...(isOurs ? [join(runtime, 'switchboard')] : []), besideData];
  const atHome = join(dataFolder({ ...environment, env: {} }), 'run');
  const usable = named.filter((folder) => fitsPathLimit(folder) && !isTemporary(folder, environment));
  return [...new Set([...usable, ...withinPathLimit(atHome, environment)])];
}

/**
 * Whether this is the last resort, a folder in a temporary folder. Sessions may write there, so a process that creates
 * a file in it proves nothing.
 */
export function isLastResort(folder: string): boolean {
  return LAST_RESORT.test(folder);
}

/** An address in one of the folders that nobody has. On Windows the folder is only a part of its name. */
export function newSocketAddress(folder: string, { platform }: Environment): string {
  if (platform === 'win32') return `${PIPE_ROOT}${pipePrefix(folder)}${process.pid}-${randomHex(4)}`;
  return platformPath(platform).join(folder, `${process.pid}-${randomHex(4)}.sock`);
}

/** Whose socket this is, by its name in the folder; undefined when it is no name of ours. */
export function pidOfSocket(name: string): number | undefined {
  return parsePid(SOCKET_NAME.exec(name)?.[1]);
}

/** The same for a name in the list of all pipes of the machine. */
export function pidOfPipe(name: string, folder: string): number | undefined {
  const prefix = pipePrefix(folder);
  return name.startsWith(prefix) ? parsePid(PIPE_NAME.exec(name.slice(prefix.length))?.[1]) : undefined;
}

/** Where Windows keeps the pipes of everybody. */
export const PIPE_ROOT = '\\\\.\\pipe\\';

/** Makes the folder where it is missing. Throws when it cannot be had, or is not ours alone. */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const why = unsafeFolderReason(folder);
  if (why !== undefined) throw new AppError('DENIED', `${folder}: ${why}`);
}

/** Undefined when the folder is ours alone or is not there, else why it is not to be used: who answers in it is believed. */
export function unsafeFolderReason(folder: string): string | undefined {
  const stats = lstatIfExists(folder);
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return 'it is a symbolic link';
  if (!stats.isDirectory()) return 'it is not a folder';
  if (!isOwnedByUser(stats)) return 'it belongs to another user';
  if ((stats.mode & OPEN_TO_OTHERS) !== 0) return `it is open to others: run chmod 700 ${quoteForShell(folder)}`;
  return undefined;
}

export function isOwnedByUser({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

/** What stands there itself, not what it leads to. */
export function lstatIfExists(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // On the way to it stands a file: it is not there.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

const OPEN_TO_OTHERS = 0o077;
const SOCKET_NAME = /^([1-9]\d{0,9})-[0-9a-f]{8}\.sock$/;
const LAST_RESORT = /\/switchboard-\d+-[0-9a-f]{8}$/;
const PIPE_NAME = /^([1-9]\d{0,9})-[0-9a-f]{8}$/;
/** The system has 108 bytes for the path of a socket on Linux, 104 on macOS, and needs one itself. */
const MAX_PATH_BYTES = 100;
/** A separator, the longest process id, and the rest of the name. */
const MAX_NAME_BYTES = '/4194304-01234567.sock'.length;

function parsePid(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function pipePrefix(folder: string): string {
  return `switchboard-${sha256(folder).slice(0, 8)}-`;
}

/** After `su`, the variable still names the folder of the one who was there before. Nothing of ours is to be left in it. */
function belongsToAnotherUser(runtime: string): boolean {
  try {
    const stats = statSync(runtime, { throwIfNoEntry: false });
    return stats !== undefined && !isOwnedByUser(stats);
  } catch {
    // It cannot even be looked at.
    return true;
  }
}

/**
 * The folder itself, or its replacement if the paths of sockets in it would be too long for the system: a folder in the
 * cache folder at home, else one in TMPDIR and one in /tmp, because another process may have a different TMPDIR.
 */
function withinPathLimit(folder: string, environment: Environment): readonly string[] {
  if (fitsPathLimit(folder)) return [folder];
  const { env, platform } = environment;
  const { join, isAbsolute } = platformPath(platform);
  const hash = sha256(folder).slice(0, 8);
  const cached = join(cacheFolder({ ...environment, env: {} }), `run-${hash}`);
  if (fitsPathLimit(cached)) return [cached];
  const named = nonEmptyVariable(env, 'TMPDIR');
  const folders = named !== undefined && isAbsolute(named) ? [named, '/tmp'] : ['/tmp'];
  const name = `switchboard-${process.getuid?.() ?? 0}-${hash}`;
  return [...new Set(folders.map((parent) => join(parent, name)).filter(fitsPathLimit))];
}

function fitsPathLimit(folder: string): boolean {
  return Buffer.byteLength(folder) + MAX_NAME_BYTES <= MAX_PATH_BYTES;
}
