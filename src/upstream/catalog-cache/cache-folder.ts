import { closeSync, constants, fstatSync, futimesSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../base/digest.ts';
import { errnoOf } from '../../base/files/errno.ts';

/** The folder of the catalogs as a place where somebody may have planted something. */

/** Undefined when the folder can be trusted or is not there, else why it cannot: a catalog speaks to the model. */
export function findFolderProblem(folder: string): string | undefined {
  const stats = statFolder(folder);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return 'it is not a folder';
  if (!isOwnedByUs(stats)) return 'it belongs to another user';
  // Windows has other rights, and its modes say nothing.
  if (process.platform !== 'win32' && (stats.mode & WRITABLE_BY_OTHERS) !== 0) return 'others may write into it';
  return undefined;
}

/** The bytes of a catalog, unless nobody wanted it for too long. To be read is to be used. Undefined when it is not there. */
export function readCacheFile(file: string, nowMs: number): Buffer | undefined {
  // A link is not followed, and a pipe is not waited for. Where a flag is unknown it is undefined, which adds nothing.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    const isUsable =
      stats.isFile() && isOwnedByUs(stats) && stats.size <= MAX_CATALOG_BYTES && !isExpired(stats, nowMs);
    if (!isUsable) return undefined;
    if (Math.abs(nowMs - stats.mtimeMs) > DAY_MS) touch(handle, nowMs);
    // One call, where reading to the end takes three: a start reads many. What was cut meanwhile has another checksum.
    const bytes = Buffer.allocUnsafe(stats.size);
    return bytes.subarray(0, readSync(handle, bytes));
  } finally {
    closeSync(handle);
  }
}

/** Inside the cache folder. */
export function catalogFolder(cacheFolder: string): string {
  return join(cacheFolder, 'catalogs');
}

/** The names of all files of one server begin with this. */
export function fileNamePrefix(serverId: string): string {
  return `${sha256(serverId).slice(0, 16)}-`;
}

export function catalogFileName(serverId: string, key: string): string {
  return `${fileNamePrefix(serverId)}${sha256(key).slice(0, 32)}.catalog`;
}

/** Beside the catalog: why the last start failed. */
export function failureFileName(serverId: string, key: string): string {
  return `${fileNamePrefix(serverId)}${sha256(key).slice(0, 32)}.failure`;
}

export function isFailureFileName(name: string): boolean {
  return name.endsWith('.failure') && isCacheFileName(name);
}

/** Everything else in the folder is somebody else's. */
export function isCacheFileName(name: string): boolean {
  return CACHE_FILE_NAME.test(name);
}

export function isTemporaryFileName(name: string): boolean {
  return isCacheFileName(name) && name.endsWith('.tmp');
}

export function isExpired({ mtimeMs }: Pick<Stats, 'mtimeMs'>, nowMs: number): boolean {
  return nowMs - mtimeMs > EXPIRES_AFTER_MS;
}

export const MAX_CATALOG_BYTES = 64 * 1024 * 1024;

const CACHE_FILE_NAME = /^[0-9a-f]{16}-[0-9a-f]{32}\.(catalog|failure)(\.[0-9a-f]{12}\.tmp)?$/;
const WRITABLE_BY_OTHERS = 0o022;
const DAY_MS = 24 * 60 * 60 * 1000;
const EXPIRES_AFTER_MS = 30 * DAY_MS;

function statFolder(folder: string): Stats | undefined {
  try {
    return lstatSync(folder, { throwIfNoEntry: false });
  } catch (error) {
    // On the way to it stands a file: it is not there, and whoever wants to make it will learn why.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Windows has no numbers for users: there a folder in the user's own profile is the user's own. */
function isOwnedByUs({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

function touch(handle: number, nowMs: number): void {
  try {
    futimesSync(handle, nowMs / 1000, nowMs / 1000);
  } catch {
    // A medium that cannot be written: nothing will be pruned there either.
  }
}
