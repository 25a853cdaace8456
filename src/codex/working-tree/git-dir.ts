import { mkdirSync, realpathSync, type Stats, statSync, utimesSync, writeFileSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { createProcessFolder } from './process-folder.ts';
import { readRegularFile, readRegularFileSync } from './regular-file.ts';

/** A repository, found by reading its files. Running git would read the configuration of the repository. */
interface Repository {
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/** Creates an empty git directory of Switchboard's own below `parent`. Returns its path. */
export async function createGitDir(parent: string): Promise<string> {
  const gitDir = await createProcessFolder(parent);
  mkdirSync(join(gitDir, 'objects', 'info'), { recursive: true });
  mkdirSync(join(gitDir, 'refs'));
  mkdirSync(join(gitDir, 'info'));
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(gitDir, 'config'), gitConfig({ isSha256: false }));
  return gitDir;
}

/**
 * Fills an empty git directory with the objects and the index of the repository that contains the folder, if there is
 * one. Returns the work tree. Reads and writes small files synchronously: there are many, and the thread pool would
 * take longer for each.
 */
export async function linkRepository(folder: string, gitDir: string): Promise<string> {
  const real = realpathSync(folder);
  const repository = findRepository(real);
  const own = ownPattern(repository?.top ?? real, dirname(gitDir));
  writeFileSync(join(gitDir, 'info', 'exclude'), `${exclusions(repository)}\n${own}\n`);
  if (repository === undefined) return real;
  const isSha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(readText(join(repository.commonDir, 'config')));
  if (isSha256) writeFileSync(join(gitDir, 'config'), gitConfig({ isSha256 }));
  writeFileSync(join(gitDir, 'objects', 'info', 'alternates'), `${join(repository.commonDir, 'objects')}\n`);
  await copyIndex(join(repository.gitDir, 'index'), join(gitDir, 'index'));
  return repository.top;
}

function gitConfig({ isSha256 }: { readonly isSha256: boolean }): string {
  const core = `[core]\n\trepositoryformatversion = ${isSha256 ? 1 : 0}\n\tbare = false\n\tfilemode = ${process.platform !== 'win32'}\n`;
  return isSha256 ? `${core}[extensions]\n\tobjectformat = sha256\n` : core;
}

/** Folders to leave out of a diff if the folder is not in a repository. */
const DEFAULT_EXCLUDES = ['node_modules/', '.venv/', 'venv/', '__pycache__/', 'target/', '.cache/'];

/** Returns a pattern for Switchboard's own directories, if they are in the work tree. */
function ownPattern(workTree: string, parent: string): string {
  const name = relative(workTree, parent);
  return name.startsWith('..') ? '' : `/${name.replaceAll(sep, '/').replace(/[\\*?[]/g, '\\$&')}/`;
}

function exclusions(repository: Repository | undefined): string {
  if (repository === undefined) return `${DEFAULT_EXCLUDES.join('\n')}\n`;
  return readText(join(repository.commonDir, 'info', 'exclude'));
}

const MAX_INDEX_BYTES = 256 * 1024 * 1024;
/** A larger index is read and written asynchronously. The index of a repository with 5000 files has about 500 KB. */
const MAX_SYNC_BYTES = 1024 * 1024;
const MAX_TEXT_BYTES = 1024 * 1024;

function readText(path: string): string {
  return readRegularFileSync(path, MAX_TEXT_BYTES)?.toString('utf8') ?? '';
}

/** Copies an index and keeps its modification time, from which git derives which entries may have changed since. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const found = statOrUndefined(from);
  // A new repository has no index.
  if (found === undefined) return;
  const isSmall = found.size <= MAX_SYNC_BYTES;
  const index = isSmall ? readRegularFileSync(from, MAX_SYNC_BYTES) : await readRegularFile(from, MAX_INDEX_BYTES);
  if (index === undefined) throw new AppError('REQUEST_FAILED', 'the index of the repository cannot be read');
  if (isSmall) {
    writeFileSync(to, index);
    return utimesSync(to, found.atime, found.mtime);
  }
  await writeFile(to, index);
  await utimes(to, found.atime, found.mtime);
}

function findRepository(folder: string): Repository | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const gitDir = gitDirAt(top);
    if (gitDir !== undefined) {
      const common = readText(join(gitDir, 'commondir'));
      return { top, gitDir, commonDir: resolve(gitDir, common.trim() || '.') };
    }
    if (dirname(top) === top) return undefined;
  }
}

function gitDirAt(top: string): string | undefined {
  const path = join(top, '.git');
  const found = statOrUndefined(path);
  if (found === undefined) return undefined;
  const text = found.isFile() ? readText(path) : '';
  const named = /^gitdir: (.+)$/m.exec(text)?.[1];
  const gitDir = found.isDirectory() ? path : named === undefined ? undefined : resolve(top, named.trim());
  const head = gitDir === undefined ? undefined : statOrUndefined(join(gitDir, 'HEAD'));
  return head === undefined ? undefined : gitDir;
}

function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // The path is not accessible.
    return undefined;
  }
}
