import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { AppError, isAppError } from '../../base/errors.ts';
import { describeErrno } from '../../base/files/errno.ts';
import { withFileLock } from '../../base/files/file-lock.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { isObject } from '../../wire/messages.ts';
import { switchboardDialect } from '../dialects/switchboard.ts';
import { MAX_SERVERS } from '../files/config-file.ts';
import { platformPath } from '../files/folders.ts';
import { describeFileRemedy } from '../files/private-json.ts';
import { describeRepositoryLink, isLink, repositoryLink } from '../files/repository-link.ts';
import { readSmallFile } from '../files/small-file.ts';
import type { Source } from '../files/sources.ts';
import { blankComments } from '../json/comments.ts';
import { parseJsonText } from '../json/json-value.ts';
import { toConfigError } from '../problem.ts';
import { secretKeysInServers } from '../secrets/secret-keys.ts';

/** One of our own config files before a change. */
export interface ConfigDocument {
  /** Without a byte order mark. */
  readonly text: string;
  /** Entries as written; the last one for a duplicate id. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** Ids that occur more than once, which cannot be changed safely. */
  readonly duplicates: ReadonlySet<string>;
}

export interface ChangedFile {
  readonly isNew: boolean;
  readonly isChanged: boolean;
}

/**
 * Reads one of our own files, changes its text and writes it back atomically, under a lock. Refuses a file that is
 * broken or has a newer version, and leaves it as it is. Without a file, `change` gets an empty config. `isDryRun` does
 * everything but write.
 */
export function updateConfigFile(
  source: Source,
  change: (document: ConfigDocument) => string,
  { isDryRun = false }: { readonly isDryRun?: boolean } = {},
): ChangedFile {
  try {
    const target = realTarget(source);
    const work = () => changeText(source, target, { change, isDryRun });
    if (isDryRun) return work();
    mkdirSync(platformPath(process.platform).dirname(target), {
      recursive: true,
      mode: isPrivate(source) ? 0o700 : 0o777,
    });
    return withFileLock(target, work);
  } catch (error) {
    if (isAppError(error)) throw error;
    const message = `The file cannot be written: ${describeErrno(error)}.${describeFileRemedy(error)}`;
    throw toConfigError({ file: source.file, line: 0, message }, error);
  }
}

/** Returns whether a file belongs to one user, as the global file does; a project's file is meant to be shared. */
function isPrivate({ layer }: Source): boolean {
  return layer !== 'project';
}

/**
 * Returns the real path of the file, so that two paths of one file share a lock. Follows a link of the user's own, but
 * not a project's link: it could lead to the global config, or to any file that looks like a config.
 */
function realTarget(source: Source): string {
  const { file } = source;
  const link = refusedLink(source);
  if (link !== undefined)
    throw toConfigError({ file, line: 0, message: `The file cannot be written: ${describeRepositoryLink(link)}.` });
  const found = readSmallFile(file);
  if (found !== undefined) return found.realPath;
  if (!isLink(file)) return file;
  throw toConfigError({
    file,
    line: 0,
    message: 'This link points to a file that does not exist: create that file, or remove the link.',
  });
}

function refusedLink({ file, layer }: Source): string | undefined {
  const { dirname } = platformPath(process.platform);
  if (layer !== 'project') return repositoryLink(file);
  return [dirname(file), file].find(isLink) ?? repositoryLink(file);
}

const EMPTY = '{\n  "version": 1,\n  "mcp": {\n    "servers": {}\n  }\n}\n';

interface ChangeTask {
  readonly change: (document: ConfigDocument) => string;
  readonly isDryRun: boolean;
}

function changeText(source: Source, target: string, { change, isDryRun }: ChangeTask): ChangedFile {
  // Read again under the lock: the earlier content may be outdated.
  const bytes = readSmallFile(source.file)?.bytes;
  const bom = bytes?.toString('utf8').startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const isEmpty = bytes?.toString('utf8').replace(BYTE_ORDER_MARK, '').trim() === '';
  const before = readDocument(source, bytes === undefined || isEmpty ? Buffer.from(EMPTY) : bytes);
  if (bytes !== undefined && target !== source.file) refuseForeignFile(source, before.text);
  const text = change(before);
  const after = readDocument(source, Buffer.from(text));
  if (Object.keys(after.servers).length > MAX_SERVERS)
    throw toConfigError({
      file: source.file,
      line: 0,
      message: `A file may have at most ${MAX_SERVERS} servers: remove one first.`,
    });
  const isChanged = bytes === undefined || isEmpty || text !== before.text;
  if (isChanged && !isDryRun) write(target, bom + text, modeOf(source, target, after));
  return { isNew: bytes === undefined, isChanged };
}

const BYTE_ORDER_MARK = '\ufeff';

function readDocument({ file }: Source, bytes: Buffer): ConfigDocument {
  const root = parseJsonText(file, bytes, { allowsComments: true });
  const listed = switchboardDialect.readServers(root).map(({ id = '' }) => id);
  const text = bytes.toString('utf8').replace(BYTE_ORDER_MARK, '');
  const mcp = isObject(root.content) ? root.content['mcp'] : undefined;
  const servers = isObject(mcp) && isObject(mcp['servers']) ? mcp['servers'] : {};
  const duplicates = new Set(listed.filter((id, index) => listed.indexOf(id) !== index));
  return { text, servers, duplicates };
}

/** Throws if a link leads to a file of another program, which switchboard never writes. */
function refuseForeignFile({ file }: Source, text: string): void {
  const content: unknown = JSON.parse(blankComments(text));
  const isOurs = isObject(content) && (Object.hasOwn(content, 'mcp') || Object.keys(content).join() === 'version');
  if (isOurs) return;
  const message =
    'This link points to a file that does not look like a Switchboard config, so it is not written to: edit that file yourself, or remove the link.';
  throw toConfigError({ file, line: 0, message });
}

/** Returns the file mode. Other users may not read values that look like secrets. */
function modeOf(source: Source, target: string, { servers }: ConfigDocument): number {
  if (secretKeysInServers(servers).length > 0) return 0o600;
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.mode & 0o777;
  return isPrivate(source) ? 0o600 : 0o644;
}

function write(target: string, text: string, mode: number): void {
  writeFileAtomic(target, text, { isDurable: true, beforeRename: (temporary) => chmodSync(temporary, mode) });
}

/** Returns the changed text, or throws if its content is not exactly the intended one. */
export function verifyChange(
  text: string,
  { before, id, entry }: { readonly before: ConfigDocument; readonly id: string; readonly entry: unknown },
): string {
  const { [id]: _, ...others } = before.servers;
  return verifyServers(text, { id, expected: entry === undefined ? others : { ...others, [id]: entry } });
}

/** Does the same for all entries of the file. `id` is the changed entry. */
export function verifyServers(
  text: string,
  { id, expected }: { readonly id: string; readonly expected: Readonly<Record<string, unknown>> },
): string {
  const content: unknown = JSON.parse(blankComments(text));
  const mcp = isObject(content) ? content['mcp'] : undefined;
  const servers = isObject(mcp) ? mcp['servers'] : undefined;
  if (isDeepStrictEqual(servers, expected)) return text;
  throw new AppError(
    'INTERNAL',
    `The config was not changed, because changing "${id}" would have changed other parts too.`,
  );
}
