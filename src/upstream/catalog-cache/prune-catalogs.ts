import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../base/files/errno.ts';
import { isCacheFileName, isExpired, isTemporaryFileName } from './cache-folder.ts';

/** Deletes expired files, abandoned temporary files, and the oldest files beyond the size limit. */
export async function pruneCatalogs(folder: string, nowMs: number): Promise<void> {
  const files = await listCacheFiles(folder, '');
  files.sort((a, b) => b.mtimeMs - a.mtimeMs);
  let keptBytes = 0;
  for (const { name, mtimeMs, size } of files) {
    const isStray = isTemporaryFileName(name) && nowMs - mtimeMs > STRAY_AFTER_MS;
    keptBytes += size;
    if (isStray || isExpired({ mtimeMs }, nowMs) || keptBytes > MAX_CACHE_BYTES) await remove(join(folder, name));
  }
}

/** Deletes all files with this name prefix, including temporary ones. */
export async function removeCatalogs(folder: string, prefix: string): Promise<void> {
  for (const { name } of await listCacheFiles(folder, prefix)) await remove(join(folder, name));
}

/** Longer than any write takes. */
const STRAY_AFTER_MS = 60 * 60 * 1000;
/** A server whose entry changes at every start would otherwise fill the disk before its catalogs expire. */
const MAX_CACHE_BYTES = 512 * 1024 * 1024;

interface CacheFile {
  readonly name: string;
  readonly mtimeMs: number;
  readonly size: number;
}

/** Lists only files that match our naming scheme. */
async function listCacheFiles(folder: string, prefix: string): Promise<CacheFile[]> {
  const names = await ignoreMissing(readdir(folder));
  const files: CacheFile[] = [];
  for (const name of names ?? []) {
    if (!isCacheFileName(name) || !name.startsWith(prefix)) continue;
    const stats = await ignoreMissing(lstat(join(folder, name)));
    if (stats?.isDirectory() === false) files.push({ name, mtimeMs: stats.mtimeMs, size: stats.size });
  }
  return files;
}

async function remove(file: string): Promise<void> {
  await ignoreMissing(unlink(file));
}

/** Ignores missing files: another gateway may have deleted them first. */
async function ignoreMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
