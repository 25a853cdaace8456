import { spawn } from 'node:child_process';
import { createDeferred } from '../../../base/deferred.ts';
import { describeExit } from '../../../base/process/describe-exit.ts';
import type { ProcessExit } from '../../../base/process/spawn.ts';
import type { PassConnection, PassedConnection } from '../../../serve/fronts/http/connections.ts';
import { openProcessChannel } from './process-channel.ts';

/** Set for a process whose parent is the listening process. */
export const SUCCESSOR_VARIABLE = 'SWITCHBOARD_HTTP_SUCCESSOR';

/** A child that serves the connections of the listening process. */
export interface Successor {
  readonly pid: number;
  readonly pass: PassConnection;
  /** Lets it serve. Until then it holds the connections that it gets. */
  continue(): void;
  /** Makes it pass back its connections and exit. Resolves when the next process may serve, or it has exited. */
  handOver(): Promise<void>;
  /** Resolves when all connections have arrived there. */
  passed(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<ProcessExit>;
}

export interface StartedSuccessor {
  readonly successor: Successor;
  /** Rejects with the reason if the process ends before it is ready. */
  readonly ready: Promise<void>;
}

/** Starts the same command again. `accept` gets the connections that it passes back. */
export function startSuccessor(accept: (connection: PassedConnection) => void): StartedSuccessor {
  const [node, ...args] = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn(node, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [SUCCESSOR_VARIABLE]: '1' },
    // A signal from the terminal reaches this process, which forwards it once.
    detached: true,
  });
  const ready = createDeferred();
  const handedOver = createDeferred();
  const exited = createDeferred<ProcessExit>();
  const ended = (end: ProcessExit, reason: string) => {
    ready.reject(new Error(reason));
    handedOver.resolve();
    exited.resolve(end);
  };
  child.on('error', (error) => ended({ code: 1, signal: null }, error.message));
  child.on('exit', (code, signal) => ended({ code, signal }, `The new process ${describeExit({ code, signal })}`));
  const channel = openProcessChannel(child, {
    receive(message) {
      if (message === 'ready') ready.resolve();
      if (message === 'handed-over') handedOver.resolve();
    },
    accept,
  });
  const timer = setTimeout(() => {
    ready.reject(new Error(`The new process was not ready within ${READY_MS / 1000} s.`));
    child.kill('SIGTERM');
  }, READY_MS);
  const clear = () => clearTimeout(timer);
  ready.promise.then(clear, clear);
  return {
    ready: ready.promise,
    successor: {
      pid: child.pid ?? 0,
      pass: channel.pass,
      passed: channel.passed,
      continue: () => channel.send('continue'),
      handOver() {
        channel.send('hand-over');
        return handedOver.promise;
      },
      kill: (signal) => void child.kill(signal),
      exited: exited.promise,
    },
  };
}

const READY_MS = 60_000;
