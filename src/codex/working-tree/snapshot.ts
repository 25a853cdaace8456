import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';
import type { Processes } from '../../base/process/processes.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';
import { findInPath } from '../locate/path-search.ts';
import { createGit, type Git } from './git.ts';
import { linkRepository } from './git-dir.ts';
import { createGitDirs } from './git-dirs.ts';
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
  const gitDirs = createGitDirs(parent);
  const findGit = createGitFinder();
  const unfinished = new Map<string, { users: number; readonly tree: Promise<Tree> }>();

  async function takeNew(folder: string): Promise<Tree> {
    // Send the request to Codex first: opening a session takes longer than the snapshot.
    await setImmediate();
    const gitDir = await gitDirs.take();
    try {
      const workTree = await linkRepository(folder, gitDir);
      const variables = await env();
      const git = createGit({ processes, command: await findGit(variables), env: variables, gitDir, workTree });
      return { git, gitDir, workTree, folder, large: await fillIndex(git, workTree, folder) };
    } catch (error) {
      await gitDirs.remove(gitDir);
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
          if (--shared.users > 0) return;
          await gitDirs.remove(tree.gitDir);
          gitDirs.prepare();
        },
      };
    },
    close: () => gitDirs.close(),
  };
}

/** Searches PATH once for each value of PATH, and again if the git that was found is gone. */
function createGitFinder() {
  let found: { readonly path: string | undefined; readonly git: string } | undefined;
  return async (env: Readonly<Record<string, string | undefined>>): Promise<string> => {
    const { platform } = process;
    const path = lookUpVariable(env, 'PATH', platform);
    if (found !== undefined && found.path === path && existsSync(found.git)) return found.git;
    for await (const git of findInPath('git', { cwd: parse(process.execPath).root, env, platform })) {
      found = { path, git };
      return git;
    }
    throw new AppError('SPAWN_FAILED', 'git was not found: git is not on PATH');
  };
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
