import { closeSync, constants, fstatSync, futimesSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../base/digest.ts';
import { errnoOf } from '../../base/files/errno.ts';

/** Safety checks and file names for the catalog folder. Another user may have planted files in it. */

/**
 * Returns why the folder cannot be trusted, or undefined if it can or does not exist. Catalog text reaches the model.
 */
export function findFolderProblem(folder: string): string | undefined {
  const stats = statFolder(folder);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return 'it is not a folder';
  if (!isOwnedByUs(stats)) return 'it belongs to another user';
  // Windows uses ACLs; its mode bits carry no information.
  if (process.platform !== 'win32' && (stats.mode & WRITABLE_BY_OTHERS) !== 0) return 'others may write to it';
  return undefined;
}

/**
 * Returns the bytes of a cache file, or undefined if it is unusable or has expired. Throws if it does not exist.
 * Reading counts as use and renews the expiry.
 */
export function readCacheFile(file: string, nowMs: number): Buffer | undefined {
  // Do not follow symlinks or block on pipes. A flag that the platform lacks is undefined and adds no bits.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    const isUsable =
      stats.isFile() && isOwnedByUs(stats) && stats.size <= MAX_CATALOG_BYTES && !isExpired(stats, nowMs);
    if (!isUsable) return undefined;
    if (Math.abs(nowMs - stats.mtimeMs) > DAY_MS) touch(handle, nowMs);
    // One read call instead of the three of a read to EOF: startup reads many files. A truncated file fails its
    // checksum.
    const bytes = Buffer.allocUnsafe(stats.size);
    return bytes.subarray(0, readSync(handle, bytes));
  } finally {
    closeSync(handle);
  }
}

/** Returns the path of the catalog folder inside the cache folder. */
export function catalogFolder(cacheFolder: string): string {
  return join(cacheFolder, 'catalogs');
}

/** Returns the prefix shared by the names of all files of one server. */
export function fileNamePrefix(serverId: string): string {
  return `${sha256(serverId).slice(0, 16)}-`;
}

export function catalogFileName(serverId: string, key: string): string {
  return `${fileNamePrefix(serverId)}${sha256(key).slice(0, 32)}.catalog`;
}

/** Returns the name of the file, next to the catalog, that records why the last start failed. */
export function failureFileName(serverId: string, key: string): string {
  return `${fileNamePrefix(serverId)}${sha256(key).slice(0, 32)}.failure`;
}

export function isFailureFileName(name: string): boolean {
  return name.endsWith('.failure') && isCacheFileName(name);
}

/** Returns true for names of our own files. All other files in the folder belong to someone else. */
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
    // A parent path is a file, so the folder does not exist. Creating it reports the error.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Windows has no user ids; a folder in the user's profile counts as the user's own. */
function isOwnedByUs({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

function touch(handle: number, nowMs: number): void {
  try {
    futimesSync(handle, nowMs / 1000, nowMs / 1000);
  } catch {
    // Read-only medium: pruning cannot delete the file there either.
  }
}
