import { rm } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';
import type { Processes } from '../../base/process/processes.ts';
import { findInPath } from '../locate/path-search.ts';
import { createGit, type Git } from './git.ts';
import { createGitDir } from './git-dir.ts';
import { createProcessFolder } from './process-folder.ts';
import { listChanged, MAX_FILE_BYTES, MAX_FILES, scopeOf, statFile, type Tree } from './tree.ts';

/** The files of a folder at one point in time. */
export interface Snapshot {
  readonly tree: Tree;
  /** Returns a new path for a copy of the index. */
  newIndex(): string;
  /** Each user calls this once. The last call deletes the git directory. */
  release(): Promise<void>;
}

export interface Snapshots {
  /** Sessions that start in one folder at the same time share one snapshot. */
  take(folder: string): Promise<Snapshot>;
  close(): Promise<void>;
}

export interface SnapshotOptions {
  readonly processes: Processes;
  /** Its PATH leads to git, which runs outside of any sandbox: no session may have planted that git. */
  readonly env: () => Promise<Readonly<Record<string, string | undefined>>>;
  /** Folder for the git directories. No session may write there, because git runs programs that its directory names. */
  readonly parent: string;
}

const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

export function createSnapshots({ processes, env, parent }: SnapshotOptions): Snapshots {
  const gitDirs = new Set<string>();
  const unfinished = new Map<string, { users: number; readonly tree: Promise<Tree> }>();

  async function remove(gitDir: string): Promise<void> {
    await rm(gitDir, { recursive: true, force: true }).catch(() => undefined);
    gitDirs.delete(gitDir);
  }

  async function takeNew(folder: string): Promise<Tree> {
    // Send the request to Codex first: opening a session takes longer than the snapshot.
    await setImmediate();
    const gitDir = await createProcessFolder(parent);
    gitDirs.add(gitDir);
    try {
      const workTree = await createGitDir(folder, gitDir);
      const variables = await env();
      const git = createGit({ processes, command: await findGit(variables), env: variables, gitDir, workTree });
      return { git, gitDir, workTree, folder, large: await fillIndex(git, workTree, folder) };
    } catch (error) {
      await remove(gitDir);
      throw error;
    }
  }

  let indexes = 0;
  return {
    async take(folder) {
      // A complete snapshot is not shared, because a turn may already have changed files.
      const finished = () => unfinished.delete(folder);
      const shared = unfinished.get(folder) ?? { users: 0, tree: takeNew(folder).finally(finished) };
      unfinished.set(folder, shared);
      shared.users++;
      const tree = await shared.tree;
      return {
        tree,
        newIndex: () => join(tree.gitDir, `index-${++indexes}`),
        release: async () => {
          if (--shared.users === 0) await remove(tree.gitDir);
        },
      };
    },
    async close() {
      await Promise.all([...gitDirs].map(remove));
    },
  };
}

async function findGit(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const { platform } = process;
  for await (const file of findInPath('git', { cwd: parse(process.execPath).root, env, platform })) return file;
  throw new AppError('SPAWN_FAILED', 'git was not found: git is not on PATH');
}

/** Updates our index with the changed, new and deleted files of the work tree. Returns the files that are too large. */
async function fillIndex(git: Git, workTree: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const large = new Map<string, string>();
  const indexed: string[] = [];
  let total = 0;
  const { names } = await listChanged(git, scopeOf(workTree, folder));
  if (names.length > MAX_FILES) throw tooLarge();
  for (const name of names) {
    const { size, fingerprint } = await statFile(join(workTree, name));
    if (size > MAX_FILE_BYTES) large.set(name, fingerprint);
    else indexed.push(name);
    total += size > MAX_FILE_BYTES ? 0 : size;
    if (total > MAX_TOTAL_BYTES) throw tooLarge();
  }
  if (indexed.length > 0)
    await git.run(['update-index', '--add', '--remove', '-z', '--stdin'], { input: indexed.join('\0') });
  return large;
}

function tooLarge(): AppError {
  return new AppError('REQUEST_FAILED', 'the folder has too many changed or untracked files to compare');
}
