import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createGitDir } from './git-dir.ts';

/** Switchboard's own git directories, one for each snapshot. */
export interface GitDirs {
  /** Returns the path of an empty git directory. */
  take(): Promise<string>;
  /** Creates the next git directory in advance, because the start of a turn waits for its snapshot. Never throws. */
  prepare(): void;
  /** Never throws. */
  remove(gitDir: string): Promise<void>;
  /** Removes all. */
  close(): Promise<void>;
}

/** @param parent No session may write to this folder, because git runs programs that its directory names. */
export function createGitDirs(parent: string): GitDirs {
  const existing = new Set<string>();
  let prepared: Promise<string | undefined> | undefined;
  let isClosed = false;

  async function create(): Promise<string> {
    const gitDir = await createGitDir(parent);
    existing.add(gitDir);
    return gitDir;
  }

  async function remove(gitDir: string): Promise<void> {
    await rm(gitDir, { recursive: true, force: true }).catch(() => undefined);
    existing.delete(gitDir);
  }

  return {
    async take() {
      const next = prepared;
      // Before the first `await`: two snapshots never share a git directory.
      prepared = undefined;
      const gitDir = await next;
      // The user may have deleted the cache folder meanwhile.
      return gitDir !== undefined && existsSync(gitDir) ? gitDir : create();
    },
    prepare() {
      // If it fails, `take` tries again and reports the error.
      if (!isClosed) prepared ??= create().catch(() => undefined);
    },
    remove,
    async close() {
      isClosed = true;
      await prepared;
      await Promise.all([...existing].map(remove));
    },
  };
}
