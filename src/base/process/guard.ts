import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { delimiter, isAbsolute } from 'node:path';
import { guardScript } from './guard-script.ts';
import { GUARD_NAME, MARK_VARIABLE } from './mark.ts';
import type { Leader } from './process-tree.ts';

/** A small process that ends the processes that we started if we die before we can end them, for example by SIGKILL. */
export interface Guard {
  /** Starts the guard if it is not running. Call it before the spawn, so that no process ever runs unguarded. */
  open(): void;
  watch(leader: Leader): void;
  /** Reports that no process of this tree is left. May be called twice. */
  release(leader: Leader): void;
  /** Closes the guard if it watches nothing. Call it when the spawn after `open` failed. */
  closeIfIdle(): void;
  /** Resolves when the guard has exited, or at once if it has to end processes that we could not. Never rejects. */
  close(): Promise<void>;
}

interface GuardOptions {
  /** Run id: part of the mark of every guarded process. */
  readonly run: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A guard that was killed is restarted while it has processes to guard, but only this often. */
const MAX_RESTARTS = 3;
const CLOSE_MS = 1_000;

export function openGuard({ run, env }: GuardOptions): Guard {
  const watched = new Map<number, Leader>();
  let shell: ChildProcess | undefined;
  let restarts = 0;
  let exiting: Promise<void> = Promise.resolve();

  function open(): void {
    // Windows has no equivalent. Processes that survive a crash of ours there are a documented limitation.
    if (shell !== undefined || process.platform === 'win32') return;
    const started = startShell(run, env);
    shell = started;
    for (const leader of watched.values()) sendCommand('+', leader);
    started?.once('exit', () => {
      const wasShutDown = shell !== started;
      if (wasShutDown) return;
      shell = undefined;
      if (watched.size === 0 || restarts >= MAX_RESTARTS) return;
      restarts += 1;
      open();
    });
  }

  function sendCommand(word: '+' | '-', { pid, startTime }: Leader): void {
    shell?.stdin?.write(`${word} ${pid} ${startTime}\n`);
  }

  function shutDown(): void {
    const closing = shell;
    shell = undefined;
    if (closing === undefined) return;
    // If processes are left that we could not end, the guard gets no `.` and tries to end them itself.
    closing.stdin?.end(watched.size === 0 ? '.\n' : '');
    if (watched.size === 0) exiting = exitWithin(closing, CLOSE_MS);
  }

  function closeIfIdle(): void {
    if (watched.size === 0) shutDown();
  }

  return {
    open,
    watch: (leader) => {
      watched.set(leader.pid, leader);
      sendCommand('+', leader);
    },
    release: (leader) => {
      if (watched.get(leader.pid) !== leader) return;
      watched.delete(leader.pid);
      sendCommand('-', leader);
      closeIfIdle();
    },
    closeIfIdle,
    close: () => {
      shutDown();
      return exiting;
    },
  };
}

/** Returns undefined on failure: everything works without a guard, but a crash of ours would leave processes behind. */
function startShell(run: string, env: GuardOptions['env']): ChildProcess | undefined {
  let shell: ChildProcess;
  try {
    shell = spawn('/bin/sh', ['-c', guardScript, GUARD_NAME, run], {
      cwd: '/',
      // Without the mark of our parent, which would kill the guard together with us and leave our processes running.
      env: { ...env, PATH: guardPath(env['PATH']), [MARK_VARIABLE]: undefined },
      stdio: ['pipe', 'ignore', 'ignore'],
      // In its own session, so that neither Ctrl-C nor a closing terminal reaches it.
      detached: true,
    });
  } catch {
    return undefined;
  }
  shell.on('error', () => {});
  if (shell.pid === undefined) return undefined;
  shell.stdin?.on('error', () => {});
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return shell;
}

function exitWithin(shell: ChildProcess, ms: number): Promise<void> {
  if (shell.exitCode !== null || shell.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    // The timer also keeps the event loop alive, which the guard itself does not.
    const timer = setTimeout(resolve, ms);
    shell.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Returns the PATH of the guard, which runs `grep` and `sleep` outside any sandbox. The system's folders come first,
 * because the guarded processes may be able to write to others, such as `node_modules/.bin` when npx starts us. The
 * others matter only on systems that keep their programs elsewhere, such as NixOS.
 */
function guardPath(path = ''): string {
  return ['/usr/bin', '/bin', ...path.split(delimiter).filter((entry) => isAbsolute(entry))].join(delimiter);
}
