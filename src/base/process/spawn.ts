import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { waitForClose, whenDrained } from './drained.ts';
import type { Guard } from './guard.ts';
import { MARK_VARIABLE } from './mark.ts';
import type { ScanProcesses } from './process-scanner.ts';
import { openProcessTree } from './process-tree.ts';
import { assertSpawnable, toSpawnError } from './spawn-error.ts';
import { createStderrTail } from './stderr-tail.ts';
import { createStopper, defaultDeadlines, type StopDeadlines, type StopResult } from './stop.ts';

export interface SpawnOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** The whole environment of the process; only the mark is added. Its PATH is searched for the command. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
  /** Called with each line of stderr as it arrives; very long lines lose their beginning. */
  readonly onStderrLine?: (line: string) => void;
  readonly deadlines?: Partial<StopDeadlines>;
  /**
   * For a short command whose descendants, if any, stay in its process group. After it exits, only the group is
   * checked: scanning every process on the machine may take longer than the command itself.
   */
  readonly staysInGroup?: boolean;
}

export interface SpawnedProcess {
  readonly pid: number;
  /** Mark in the environment of the process and of every descendant that inherits it. */
  readonly mark: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process itself has exited and the rest of its stderr was read. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** Resolves when its descendants are stopped too, whether it exited by itself or by `stop`. Never rejects. */
  readonly treeExited: Promise<StopResult>;
  /** The last 4 KB of stderr, as whole lines. */
  stderrTail(): readonly string[];
  /** Ends the process and everything it started. May be called twice, never throws; the first reason is kept. */
  stop(reason?: string): Promise<StopResult>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface SpawnContext {
  readonly mark: string;
  readonly guard: Guard;
  readonly scanProcesses: ScanProcesses;
}

/** How long to wait for output after the process has exited, in case another process holds the pipe open. */
const DRAIN_MS = 100;

export async function spawnProcess(options: SpawnOptions, context: SpawnContext): Promise<SpawnedProcess> {
  const { mark, guard } = context;
  assertSpawnable(options);
  const onWindows = process.platform === 'win32';
  // cross-spawn handles .cmd files, PATHEXT and the quoting of cmd.exe. Other platforms skip the import.
  const launch = onWindows ? (await import('cross-spawn')).default : spawn;

  // No `await` from here to `guard.watch`: the guard starts before the process and learns its pid in the same tick.
  guard.open();
  let launched: ChildProcess;
  try {
    launched = launch(options.command, options.args ?? [], {
      cwd: options.cwd,
      env: { ...options.env, [MARK_VARIABLE]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      detached: !onWindows,
      windowsHide: true,
    });
  } catch (error) {
    guard.closeIfIdle();
    throw await toSpawnError(error, options);
  }
  const { pid, stdin, stdout, stderr } = launched;
  if (pid === undefined || stdin === null || stdout === null || stderr === null) {
    guard.closeIfIdle();
    throw await toSpawnError(await firstError(launched), options);
  }
  return supervise({ launched, pid, stdin, stdout, stderr, options, ...context });
}

interface Supervised extends SpawnContext {
  readonly launched: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly options: SpawnOptions;
}

function supervise(supervised: Supervised): SpawnedProcess {
  const { launched, pid, stdin, stdout, stderr, options, mark, guard, scanProcesses } = supervised;
  const exit = watchExit(launched);
  const { staysInGroup = false } = options;
  const tree = openProcessTree({ pid, mark, scanProcesses, hasExited: exit.hasExited, staysInGroup });
  guard.watch(tree.leader);

  const tail = createStderrTail(options.onStderrLine);
  // `end` comes before `close`, and is missing when the stream is destroyed. A second call of `tail.end` does nothing.
  stderr.on('data', tail.push).once('end', tail.end).once('close', tail.end);
  // A process may close its pipes at any time (EPIPE). Writers get the error in their callback, readers use `exited`.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});

  const stopTree = createStopper(
    { exit, tree, endStdin: () => stdin.end() },
    { ...defaultDeadlines, ...options.deadlines },
  );
  async function end(reason: string): Promise<StopResult> {
    const result = await stopTree(reason);
    if (result.survivors.length === 0) guard.release(tree.leader);
    return result;
  }

  async function stop(reason = 'stopped'): Promise<StopResult> {
    const result = await end(reason);
    await Promise.all([waitForClose(stdout, DRAIN_MS), waitForClose(stderr, DRAIN_MS)]);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    return result;
  }

  const treeExited = exit.promise.then(() => end('exited'));
  const exited = exit.promise.then(async (how) => {
    await whenDrained(stderr, DRAIN_MS);
    return how;
  });
  return { pid, mark, stdin, stdout, exited, treeExited, stderrTail: tail.lines, stop };
}

export interface Exit {
  readonly promise: Promise<ProcessExit>;
  hasExited(): boolean;
}

function watchExit(launched: ChildProcess): Exit {
  let hasExited = false;
  const promise = new Promise<ProcessExit>((resolve) => {
    const settle = (code: number | null, signal: NodeJS.Signals | null): void => {
      hasExited = true;
      resolve({ code, signal });
    };
    launched.once('exit', settle);
    launched.on('error', () => {
      // On Windows cross-spawn turns the exit of a shell that found no command into an error event.
      if (launched.exitCode !== null) settle(launched.exitCode, null);
    });
  });
  return { promise, hasExited: () => hasExited };
}

function firstError(launched: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => launched.once('error', resolve));
}
