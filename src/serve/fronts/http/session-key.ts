import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../../base/write-file-atomic.ts';

const KEY_BYTES = 32;

/**
 * Reads the key that seals session ids. Creates a new one if there is none, or if it may not be secret: sessions with
 * ids of the old key have then ended.
 */
export function loadSessionKey(file: string, onProblem: (problem: string) => void): Buffer {
  const key = readKey(file);
  if (Buffer.isBuffer(key)) return key;
  if (key !== undefined) onProblem(`${key} Earlier HTTP sessions have ended.`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const created = randomBytes(KEY_BYTES);
  writeFileAtomic(file, created, { isDurable: true });
  return created;
}

/** Returns the key, why it cannot be used, or undefined if there is none. */
function readKey(file: string): Buffer | string | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? undefined : `${file} cannot be read.`;
  }
  try {
    const { mode, uid } = fstatSync(fd);
    const isPrivate = process.platform === 'win32' || (uid === process.getuid?.() && (mode & 0o077) === 0);
    if (!isPrivate) return `Other users may have read ${file}, so it was replaced.`;
    // One byte more, to notice a file that is too long.
    const key = Buffer.alloc(KEY_BYTES + 1);
    return readSync(fd, key) === KEY_BYTES ? key.subarray(0, KEY_BYTES) : `${file} is damaged.`;
  } finally {
    closeSync(fd);
  }
}
