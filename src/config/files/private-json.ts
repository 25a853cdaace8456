import { mkdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type AppError, isAppError } from '../../base/errors.ts';
import { describeErrno, errnoOf } from '../../base/files/errno.ts';
import { withFileLock, withFileLockAsync } from '../../base/files/file-lock.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { pick } from '../json/decode.ts';
import { type JsonValue, parseJsonText } from '../json/json-value.ts';
import { toConfigError } from '../problem.ts';
import { describeRepositoryLink, isLink, repositoryLink } from './repository-link.ts';

/** A file of our own that no other user may read. Switchboard never overwrites one that it does not understand. */
export interface PrivateJson {
  readonly file: string;
  /** Reads the file; undefined if it does not exist yet. Throws if it is damaged or has a newer version. */
  read(): JsonValue | undefined;
  /** Writes the file atomically: a reader sees the old content or the new one. Adds the version to `content`. */
  write(content: Readonly<Record<string, unknown>>): void;
  /** Runs `work`, which may read and write the file, while no other process changes it. Creates the folder. */
  withLock<T>(work: () => T): T;
  /** Like `withLock`, but does not block the event loop while it waits for the lock. */
  withLockAsync<T>(work: () => T): Promise<T>;
  /** Creates the folder of the file, readable by this user only. */
  makeFolder(): void;
  /** Creates the error for a damaged file. The file is never overwritten: it may hold more than we can read. */
  damaged(what: string): AppError;
}

export interface PrivateJsonOptions {
  readonly file: string;
  /** The only supported version. */
  readonly version: number;
  readonly maxBytes: number;
  /** Starts a sentence: `Trust`. */
  readonly subject: string;
  /** Advice for the user about a damaged file. */
  readonly remedy: string;
}

export function openPrivateJson(options: PrivateJsonOptions): PrivateJson {
  const { file } = options;
  const makeFolder = () => orStoreError(options, () => makePrivateFolder(file));
  return {
    file,
    read: () => readPrivateJson(options),
    write: (content) => orStoreError(options, () => writePrivateJson(options, content)),
    withLock: (work) =>
      orStoreError(options, () => {
        makePrivateFolder(file);
        return withFileLock(file, work);
      }),
    async withLockAsync(work) {
      makeFolder();
      try {
        return await withFileLockAsync(file, work);
      } catch (error) {
        throw toStoreError(options, error);
      }
    },
    makeFolder,
    damaged: (what) => damagedFile(options, what),
  };
}

function readPrivateJson(kind: PrivateJsonOptions): JsonValue | undefined {
  const bytes = readLimited(kind);
  if (bytes === undefined) return undefined;
  const root = parseJsonText(kind.file, bytes);
  const version = pick(root, 'version')?.content;
  if (version === kind.version) return root;
  if (typeof version !== 'number' || version < kind.version) throw damagedFile(kind, 'its version is missing');
  const message = `This is version ${version}, but this Switchboard supports only ${kind.version}. Update Switchboard.`;
  throw toConfigError({ file: kind.file, line: 0, message });
}

function writePrivateJson(kind: PrivateJsonOptions, content: Readonly<Record<string, unknown>>): void {
  const { file, version, maxBytes } = kind;
  const text = `${JSON.stringify({ version, ...content }, null, 2)}\n`;
  if (Buffer.byteLength(text) > maxBytes) throw storeFailed(kind, `it would be larger than ${maxBytes / 1024} KiB`);
  const link = repositoryLink(file);
  if (link !== undefined) throw storeFailed(kind, describeRepositoryLink(link));
  makePrivateFolder(file);
  writeFileAtomic(realTarget(kind), text, { isDurable: true });
}

function makePrivateFolder(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}

/**
 * Returns the path to write to. Follows a link of the user's own, because its target is the file that holds the
 * secrets.
 */
function realTarget(kind: PrivateJsonOptions): string {
  const { file } = kind;
  if (!isLink(file)) return file;
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync.native(file);
  throw storeFailed(kind, 'this link points to a file that does not exist, so create that file, or remove the link');
}

function damagedFile({ file, remedy }: PrivateJsonOptions, what: string): AppError {
  return toConfigError({ file, line: 0, message: `The file is damaged: ${what}. ${remedy}` });
}

/** Runs the work, and wraps the system errors that it throws. */
function orStoreError<T>(kind: PrivateJsonOptions, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(kind, error);
  }
}

function toStoreError(kind: PrivateJsonOptions, error: unknown): AppError {
  return isAppError(error) ? error : storeFailed(kind, describeErrno(error), error);
}

function storeFailed({ file, subject }: PrivateJsonOptions, why: string, cause?: unknown): AppError {
  return toConfigError(
    { file, line: 0, message: `${subject} cannot be stored: ${why}.${describeRemedy(cause)}` },
    cause,
  );
}

/** Returns what the user can do about a failed write, as a sentence that follows another one; empty if unknown. */
export function describeRemedy(error: unknown): string {
  const code = errnoOf(error) ?? '';
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) return ' Free up disk space and try again.';
  if (['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(code))
    return ' Give this user write access to that folder, or set SWITCHBOARD_HOME to one of your own.';
  return '';
}

/** The same for a file whose place SWITCHBOARD_HOME does not decide. */
export function describeFileRemedy(error: unknown): string {
  const isRefused = ['EACCES', 'EPERM', 'EROFS'].includes(errnoOf(error) ?? '');
  return isRefused ? ' Give this user access to the file and its folder, then run this again.' : describeRemedy(error);
}

function readLimited({ file, maxBytes }: PrivateJsonOptions): Buffer | undefined {
  const fail = (message: string, cause?: unknown) => toConfigError({ file, line: 0, message }, cause);
  let stats: Stats | undefined;
  try {
    stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // Checked before it is opened: a named pipe would block forever.
    if (stats.isFile() && stats.size <= maxBytes) return readFileSync(file);
  } catch (error) {
    // A parent of the path is a file instead of a folder.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw fail(`The file cannot be read: ${describeErrno(error)}.`, error);
  }
  if (stats.isFile()) throw fail(`The file is larger than ${maxBytes / 1024} KiB.`);
  throw fail('This is not a regular file.');
}
