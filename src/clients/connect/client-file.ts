import { chmodSync, mkdirSync, readFileSync, realpathSync, rmdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, isAppError } from '../../base/errors.ts';
import { describeErrno, errnoOf } from '../../base/files/errno.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { describeFileRemedy } from '../../config/files/private-json.ts';
import { pathAndParents } from '../../config/files/real-path.ts';
import { describeRepositoryLink, isLink, repositoryLink } from '../../config/files/repository-link.ts';
import { toConfigError } from '../../config/problem.ts';

/** The content of a client's file; undefined if there is no file. */
export type Content = Buffer | undefined;

/** Some clients keep their history in the same file. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a client's file. Throws if it is not a regular file, too large or not readable. */
export function readClientFile(file: string): Content {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // Checked before it is opened: a named pipe would block forever.
    if (!stats.isFile()) throw problem(file, 'This is not a regular file.');
    if (stats.size > MAX_BYTES) throw problem(file, `The file is larger than ${MAX_BYTES / 1024 / 1024} MiB.`);
    return readFileSync(file);
  } catch (error) {
    // A parent of the path is a file instead of a folder.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw toFileError(file, error, 'read');
  }
}

/**
 * Replaces the content of a client's file if it is still `expected`, through a link of the user's own and with the same
 * permissions. Undefined removes the file. Returns false if another program has changed the file meanwhile. Call
 * `checkWritable` first.
 */
export function replaceClientFile(
  file: string,
  { expected, content }: { readonly expected: Content; readonly content: Content },
): boolean {
  const isUnchanged = () => isSameContent(readClientFile(file), expected);
  let hasChanged = false;
  try {
    if (content === undefined) {
      if (!isUnchanged()) return false;
      rmSync(file, { force: true });
      return true;
    }
    const target = expected === undefined ? file : realpathSync.native(file);
    const mode = expected === undefined ? 0o600 : statSync(target).mode & 0o777;
    writeFileAtomic(target, content, {
      isDurable: true,
      beforeRename(temporary) {
        chmodSync(temporary, mode);
        // As late as possible: most clients write their file without any lock.
        hasChanged = !isUnchanged();
        if (hasChanged) throw new AppError('BUSY', 'Another program has changed the file.');
      },
    });
    return true;
  } catch (error) {
    if (hasChanged) return false;
    throw toFileError(file, error, 'written');
  }
}

/** Creates the folder of a file. Returns the first folder that did not exist, or undefined. */
export function makeFolderOf(file: string): string | undefined {
  try {
    return mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toFileError(file, error, 'written');
  }
}

/** Removes the folders from `first` down to that of the file, as far as they are empty. */
export function removeEmptyFolders(file: string, first: string | undefined): void {
  if (first === undefined) return;
  for (const folder of pathAndParents(dirname(file), process.platform)) {
    if (!folder.startsWith(first)) return;
    try {
      rmdirSync(folder);
    } catch {
      // Another program uses the folder by now.
      return;
    }
  }
}

/** Throws if the file must not be replaced: because of its owner, its permissions or a link. */
export function checkWritable(file: string): void {
  const link = repositoryLink(file);
  if (link !== undefined) throw problem(file, `The file cannot be written: ${describeRepositoryLink(link)}.`);
  const stats = statOf(file);
  if (stats === undefined && isLink(file))
    throw problem(file, 'This link points to a file that does not exist: create that file, or remove the link.');
  const folder = pathAndParents(dirname(file), process.platform).find((path) => statOf(path) !== undefined);
  const owner = stats ?? (folder === undefined ? undefined : statOf(folder));
  const own = process.getuid?.();
  if (owner !== undefined && own !== undefined && owner.uid !== own)
    throw problem(file, 'The file cannot be written: it belongs to another user. Run this command as that user.');
  if (stats !== undefined && (stats.mode & 0o200) === 0)
    throw problem(file, 'The file is read-only: make it writable (chmod u+w), then run this again.');
}

function isSameContent(one: Content, other: Content): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.equals(other);
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Not accessible, or below a file. Writing it reports that.
    return undefined;
  }
}

function toFileError(file: string, error: unknown, verb: 'read' | 'written'): AppError {
  if (isAppError(error)) return error;
  return problem(file, `The file cannot be ${verb}: ${describeErrno(error)}.${describeFileRemedy(error)}`, error);
}

function problem(file: string, message: string, cause?: unknown): AppError {
  return toConfigError({ file, line: 0, message }, cause);
}
