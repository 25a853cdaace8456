import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { describeErrno, errnoOf } from '../../base/files/errno.ts';
import { toConfigError } from '../problem.ts';

/** A larger config is a mistake, and its content would stay in memory. */
const MAX_BYTES = 1024 * 1024;

export interface FileContent {
  readonly bytes: Buffer;
  /** The path with all links resolved. */
  readonly realPath: string;
}

/**
 * Reads a small file; undefined if it does not exist. Throws if the path is not a regular file, or if it is too large.
 */
export function readSmallFile(file: string, maxBytes = MAX_BYTES): FileContent | undefined {
  const fail = (message: string, cause?: unknown) => toConfigError({ file, line: 0, message }, cause);
  let stats: Stats | undefined;
  try {
    stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // Checked before it is opened: a named pipe would block forever.
    if (stats.isFile() && stats.size <= maxBytes) {
      // Read by the real path: if a link changes meanwhile, the path must still belong to these bytes.
      const realPath = realpathSync.native(file);
      return { bytes: readFileSync(realPath), realPath };
    }
  } catch (error) {
    // A parent of the path is a file instead of a folder.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw fail(`The file cannot be read: ${describeErrno(error)}.`, error);
  }
  if (stats.isDirectory()) throw fail('This is a folder, but a file is expected.');
  if (stats.isFile()) throw fail(`The file is larger than ${maxBytes / 1024} KiB.`);
  throw fail('This is not a regular file.');
}
