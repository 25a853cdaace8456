import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { describeErrno, errnoOf } from '../../base/files/errno.ts';
import { toConfigError } from '../problem.ts';

/** A config of this size is a mistake, and whatever is read stays in memory. */
const MAX_BYTES = 1024 * 1024;

export interface FileContent {
  readonly bytes: Buffer;
  /** Where it really lies, whatever links lead to it. */
  readonly realPath: string;
}

/** The content of a small file, or undefined when there is none. Throws when something else than a file stands there. */
export function readSmallFile(file: string): FileContent | undefined {
  const fail = (message: string, cause?: unknown) => toConfigError({ file, line: 0, message }, cause);
  let stats: Stats | undefined;
  try {
    stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // Looked at before it is opened: a named pipe would keep us waiting for ever.
    if (stats.isFile() && stats.size <= MAX_BYTES) {
      // Read by its real path: a link that changes meanwhile must not give this path to other bytes.
      const realPath = realpathSync.native(file);
      return { bytes: readFileSync(realPath), realPath };
    }
  } catch (error) {
    // On the way to it stands a file where a folder would have to be.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw fail(`The file cannot be read: ${describeErrno(error)}.`, error);
  }
  if (stats.isDirectory()) throw fail('This is a folder, and a file is expected.');
  if (stats.isFile()) throw fail(`The file is larger than ${MAX_BYTES / 1024} KiB.`);
  throw fail('This is not a regular file.');
}
