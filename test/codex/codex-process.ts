import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { findCodex } from './codex-binary.ts';
import { findProcesses } from './find-processes.ts';
import type { CodexHome } from './home.ts';

export type CodexProcess = {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when Codex has exited. */
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }>;
  /** The end of Codex's stderr output. */
  stderr(): string;
  /** Kills Codex and everything it started, and waits until all are gone. May be called twice. */
  kill(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const MAX_STDERR_CHARS = 16 * 1024;
const MAX_KILL_MS = 20_000;
const POLL_MS = 20;

/** Starts the real Codex in its own process group, in the home's working folder, with a minimal environment. */
export async function startCodex(options: {
  readonly home: CodexHome;
  readonly args: readonly string[];
}): Promise<CodexProcess> {
  const { home } = options;
  // Codex starts commands and MCP servers in separate process groups, but they keep HOME. A new HOME for each run marks
  // all its descendants, even after Codex itself has exited.
  const userDir = join(home.rootDir, `user-${randomUUID()}`);
  await mkdir(userDir);
  const { command, args } = findCodex(home.release);
  const started = spawn(command, [...args, ...options.args], {
    cwd: home.workDir,
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', TERM: 'dumb', HOME: userDir, CODEX_HOME: home.codexDir },
    stdio: 'pipe',
    detached: true,
  });
  let stderr = '';
  // A write after Codex has exited. Callers see the exit instead.
  started.stdin.on('error', () => undefined);
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_CHARS);
  });
  const exited = once(started, 'exit').then(([exitCode, signal]) => ({ exitCode, signal }));
  // A failed start rejects `exited`. The empty handler avoids an unhandled rejection if nothing awaits it.
  exited.catch(() => undefined);
  await once(started, 'spawn');
  const { stdin, stdout } = started;
  const kill = () => killAll(started, userDir);
  return { stdin, stdout, exited, stderr: () => stderr, kill, [Symbol.asyncDispose]: kill };
}

async function killAll(started: ChildProcessWithoutNullStreams, userDir: string): Promise<void> {
  const deadline = Date.now() + MAX_KILL_MS;
  if (started.pid !== undefined && started.exitCode === null && started.signalCode === null) {
    send(-started.pid);
    await once(started, 'exit');
  }
  for (let left = await findProcesses(userDir); left.length > 0; left = await findProcesses(userDir)) {
    if (Date.now() > deadline) throw new Error(`processes survive SIGKILL: ${left.join(', ')}`);
    for (const pid of left) send(pid);
    await sleep(POLL_MS);
  }
}

function send(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process exited between the check and the signal.
  }
}
