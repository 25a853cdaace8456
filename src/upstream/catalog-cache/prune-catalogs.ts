import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../config/files/small-file.ts';
import { isOwnName, isTemporaryName, isUnused } from './cache-folder.ts';

/** Deletes what nobody has used for long, what was never finished, and the oldest of what is too much. */
export async function pruneCatalogs(folder: string, nowMs: number): Promise<void> {
  const files = await listOwn(folder, '');
  files.sort((a, b) => b.mtimeMs - a.mtimeMs);
  let kept = 0;
  for (const { name, mtimeMs, size } of files) {
    const isStray = isTemporaryName(name) && nowMs - mtimeMs > STRAY_AFTER_MS;
    kept += size;
    if (isStray || isUnused({ mtimeMs }, nowMs) || kept > MAX_CACHE_BYTES) await remove(join(folder, name));
  }
}

/** Deletes everything whose name begins so, unfinished files too. */
export async function removeCatalogs(folder: string, prefix: string): Promise<void> {
  for (const { name } of await listOwn(folder, prefix)) await remove(join(folder, name));
}

/** Longer than any writing takes. */
const STRAY_AFTER_MS = 60 * 60 * 1000;
/** A server whose entry is another at every start would fill the disk within those days. */
const MAX_CACHE_BYTES = 512 * 1024 * 1024;

interface OwnFile {
  readonly name: string;
  readonly mtimeMs: number;
  readonly size: number;
}

/** Only what is ours by name. */
async function listOwn(folder: string, prefix: string): Promise<OwnFile[]> {
  const names = await unlessGone(readdir(folder));
  const files: OwnFile[] = [];
  for (const name of names ?? []) {
    if (!isOwnName(name) || !name.startsWith(prefix)) continue;
    const stats = await unlessGone(lstat(join(folder, name)));
    if (stats?.isDirectory() === false) files.push({ name, mtimeMs: stats.mtimeMs, size: stats.size });
  }
  return files;
}

async function remove(file: string): Promise<void> {
  await unlessGone(unlink(file));
}

/** Another gateway may have been faster. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
