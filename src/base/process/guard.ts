import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { guardPath } from './guard-path.ts';
import { guardScript } from './guard-script.ts';
import { MARK_VARIABLE } from './mark.ts';
import type { Leader } from './process-tree.ts';

/** A small process that ends what we started should we die without a chance to do it, by KILL for example. */
export interface Guard {
  /** Starts the guard if it is not running. Must come before the spawn: then no moment is left without it. */
  open(): void;
  watch(leader: Leader): void;
  /** Says that nobody of this family is left. May be called twice. */
  release(leader: Leader): void;
  /** To be called when what `open` was for did not start. */
  closeIfIdle(): void;
  /** Settles when the guard is gone, unless it has to end what we could not. Never rejects. */
  close(): Promise<void>;
}

interface GuardOptions {
  /** Part of the mark of every process that is to be guarded. */
  readonly run: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A guard that somebody ended is replaced while there is something to guard, but not for ever. */
const MAX_RESTARTS = 3;
const CLOSE_MS = 1_000;

export function openGuard({ run, env }: GuardOptions): Guard {
  const watched = new Map<number, Leader>();
  let shell: ChildProcess | undefined;
  let restarts = 0;
  let exiting: Promise<void> = Promise.resolve();

  function open(): void {
    // On Windows nothing comparable exists; what survives our sudden death there is a documented limit.
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
    // With somebody left whom we could not end, the guard is not told that all is well, and tries for itself.
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

/** Without a guard we still work, only our sudden death would leave something behind. So its failures are not ours. */
function startShell(run: string, env: GuardOptions['env']): ChildProcess | undefined {
  let shell: ChildProcess;
  try {
    shell = spawn('/bin/sh', ['-c', guardScript, 'switchboard-guard', run], {
      cwd: '/',
      // Without the mark of whoever started us: it would end the guard together with us, and ours would be left.
      env: { ...env, PATH: guardPath(env['PATH']), [MARK_VARIABLE]: undefined },
      stdio: ['pipe', 'ignore', 'ignore'],
      // A session of its own: neither Ctrl-C nor the end of the terminal reaches it.
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
