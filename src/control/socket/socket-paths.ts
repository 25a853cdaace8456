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
import { realPathOf } from '../../config/files/real-path.ts';

/**
 * Returns the folders that may hold sockets of running switchboards, best first. A starting process uses the first
 * usable one. A command that looks for running processes reads all of them, because the two may have different
 * environments: Codex passes no XDG variable to its servers. Folders that a variable puts into a temporary folder are
 * left out, because sandboxed Codex sessions may write there. SWITCHBOARD_HOME and the home folder are used wherever
 * they are, because the user chose them.
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
 * Returns whether this is the last resort, a folder in a temporary folder. Sandboxed Codex sessions may write there, so
 * a process that creates a file in it proves nothing.
 */
export function isLastResort(folder: string): boolean {
  return LAST_RESORT.test(folder);
}

/** Returns an unused address in `folder`. On Windows the folder only determines the prefix of the pipe name. */
export function newSocketAddress(folder: string, { platform }: Environment): string {
  if (platform === 'win32') return `${PIPE_ROOT}${pipePrefix(folder)}${process.pid}-${randomHex(4)}`;
  return platformPath(platform).join(folder, `${process.pid}-${randomHex(4)}.sock`);
}

/** Returns the path of a socket until it accepts connections, as long as its final path. */
export function openingPath(address: string): string {
  return address.replace(/\.sock$/, '.open');
}

/** Returns the pid in the file name of a socket, or undefined if the name is not one of ours. */
export function pidOfSocket(name: string): number | undefined {
  return parsePid(SOCKET_NAME.exec(name)?.[1]);
}

/** Returns whether this is the name of a socket that does not accept connections yet. */
export function isOpening(name: string): boolean {
  return name.endsWith('.open');
}

/** Like `pidOfSocket`, for a name in the machine-wide list of pipes. */
export function pidOfPipe(name: string, folder: string): number | undefined {
  const prefix = pipePrefix(folder);
  return name.startsWith(prefix) ? parsePid(PIPE_NAME.exec(name.slice(prefix.length))?.[1]) : undefined;
}

/** The namespace of all named pipes on Windows. */
export const PIPE_ROOT = '\\\\.\\pipe\\';

/** Creates the folder if it is missing. Throws if that fails, or if other users can access the folder. */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const why = unsafeFolderReason(folder);
  if (why !== undefined) throw new AppError('DENIED', `${folder}: ${why}`);
}

/**
 * Returns why a folder must not be used, or undefined if it is private to us or missing. Responses from sockets in the
 * folder are trusted.
 */
export function unsafeFolderReason(folder: string): string | undefined {
  const stats = lstatIfExists(folder);
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return 'it is a symbolic link';
  if (!stats.isDirectory()) return 'it is not a folder';
  if (!isOwnedByUser(stats)) return 'it belongs to another user';
  if ((stats.mode & GROUP_AND_OTHER_BITS) !== 0) return `it is open to others: run chmod 700 ${quoteForShell(folder)}`;
  return undefined;
}

export function isOwnedByUser({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

/** Returns the stats of the path itself without following a symbolic link, or undefined if it does not exist. */
export function lstatIfExists(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A parent of the path is a file, so the path does not exist.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

const GROUP_AND_OTHER_BITS = 0o077;
const SOCKET_NAME = /^([1-9]\d{0,9})-[0-9a-f]{8}\.(?:sock|open)$/;
const LAST_RESORT = /\/switchboard-\d+-[0-9a-f]{8}$/;
const PIPE_NAME = /^([1-9]\d{0,9})-[0-9a-f]{8}$/;
/** The limit for socket paths is 108 bytes on Linux and 104 on macOS, including a terminating NUL. */
const MAX_PATH_BYTES = 100;
/** A separator, the longest pid, and the rest of the name. */
const MAX_NAME_BYTES = '/4194304-01234567.sock'.length;

function parsePid(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function pipePrefix(folder: string): string {
  return `switchboard-${sha256(folder).slice(0, 8)}-`;
}

/** After `su`, XDG_RUNTIME_DIR still names the folder of the previous user. We must not write to that folder. */
function belongsToAnotherUser(runtime: string): boolean {
  try {
    const stats = statSync(runtime, { throwIfNoEntry: false });
    return stats !== undefined && !isOwnedByUser(stats);
  } catch {
    // The folder cannot be inspected, so it is not ours.
    return true;
  }
}

/**
 * Returns the folder itself, or its replacement if socket paths in it would be too long for the system: a folder in the
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

/**
 * Returns whether a path leads into one of the system's temporary folders, as written or after resolving links. Codex
 * sessions may write there, so a file in such a folder does not prove that its author runs outside a sandbox.
 */
function isTemporary(path: string, { env, platform }: Omit<Environment, 'cwd' | 'home'>): boolean {
  const { isAbsolute, relative } = platformPath(platform);
  const named = VARIABLES.map((name) => nonEmptyVariable(env, name))
    .filter(isText)
    .filter(isAbsolute);
  const spellings = (place: string) => [place, realPathOf(place, platform)];
  const isInside = (folder: string, place: string) => !/^\.\.(?:\/|$)/.test(relative(folder, place));
  return ['/tmp', ...named]
    .flatMap(spellings)
    .some((folder) => spellings(path).some((place) => isInside(folder, place)));
}

/** The variables that Node reads to find the temporary folder, in this order. Codex reads only the first one. */
const VARIABLES = ['TMPDIR', 'TMP', 'TEMP'];

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
