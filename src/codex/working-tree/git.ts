import { parse } from 'node:path';
import { finished } from 'node:stream/promises';
import { AppError } from '../../base/errors.ts';
import type { Processes } from '../../base/process/processes.ts';

export interface Git {
  /** Returns the stdout of git. Throws REQUEST_FAILED if git fails, takes too long or writes too much. */
  run(args: readonly string[], options?: { readonly input?: string; readonly index?: string }): Promise<string>;
}

export interface GitOptions {
  readonly processes: Processes;
  /** The path of the program. */
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Switchboard's own git directory, with its index. */
  readonly gitDir: string;
  readonly workTree: string;
}

const TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/**
 * Creates a runner for git on Switchboard's own git directory. Git does not read the configuration of the repository,
 * of the user or of the system: it may name programs, which a session could have planted and which would run outside of
 * its sandbox.
 */
export function createGit({ processes, command, env, gitDir, workTree }: GitOptions): Git {
  const own = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('GIT_') ? [] : [[name, value]],
    ),
  );
  const nowhere = `${gitDir}/nowhere`;
  const safe = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: nowhere,
    GIT_CONFIG_GLOBAL: nowhere,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    LC_ALL: 'C',
  };
  return {
    async run(args, { input = '', index = `${gitDir}/index` } = {}) {
      const running = await processes.spawn({
        command,
        args: [...args],
        env: { ...own, ...safe, GIT_INDEX_FILE: index },
        // Not the work tree, which may contain the git directory: git resolves relative names against its working
        // folder.
        cwd: parse(gitDir).root,
        staysInGroup: true,
      });
      const chunks: Buffer[] = [];
      let size = 0;
      let problem: string | undefined;
      const end = (reason: string) => {
        problem ??= reason;
        void running.stop();
      };
      const timer = setTimeout(() => end('takes too long'), TIMEOUT_MS);
      running.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_OUTPUT_BYTES) return end('writes too much output');
        chunks.push(chunk);
      });
      running.stdin.on('error', () => undefined);
      running.stdin.end(input);
      const [{ code }] = await Promise.all([running.exited, finished(running.stdout).catch(() => undefined)]);
      clearTimeout(timer);
      await running.stop();
      if (code !== 0 || problem !== undefined)
        throw new AppError('REQUEST_FAILED', `git ${args[0]} ${problem ?? `failed (${code})`}`);
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}
