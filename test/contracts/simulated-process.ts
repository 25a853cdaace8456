import { PassThrough } from 'node:stream';
import { createDeferred } from '../../src/base/deferred.ts';
import type { Processes } from '../../src/base/process/processes.ts';
import type { SpawnedProcess } from '../../src/base/process/spawn.ts';

/** A process without a program. After `exit`, its stdout stays open, as if another process held it. */
export interface SimulatedProcess {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  exit(code: number): void;
  /** Every spawn returns this process. */
  readonly processes: Processes;
}

export function simulateProcess(): SimulatedProcess {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const exited = createDeferred<{ code: number; signal: null }>();
  const stopped = { survivors: [] } as never;
  const running: SpawnedProcess = {
    pid: 7,
    mark: '',
    stdin,
    stdout,
    exited: exited.promise,
    treeExited: exited.promise.then(() => stopped),
    stderrTail: () => [],
    stop: async () => stopped,
  };
  return {
    stdin,
    stdout,
    exit: (code) => exited.resolve({ code, signal: null }),
    processes: { spawn: async () => running, close: async () => {} },
  };
}
