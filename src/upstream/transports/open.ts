import type { Processes } from '../../base/process/processes.ts';
import type { StdioServer } from './stdio.ts';
import type { OpenTransport } from './transport.ts';

/** Opens servers of every kind, and stops what was started. */
export interface Transports {
  /** `describe` is asked at each start, because what a server needs may have changed. */
  stdio(describe: () => StdioServer): OpenTransport;
  /** Stops everything that is still running. May be called twice, never throws. */
  close(): Promise<void>;
}

/**
 * Programs can be started only after the first client was answered, so the code for it is loaded then:
 * processes, guard and hashes cost a start about as much as all the rest.
 */
export function createTransports(env: Readonly<Record<string, string | undefined>>): Transports {
  let opening:
    | Promise<{ readonly processes: Processes; readonly openStdio: typeof import('./stdio.ts').openStdio }>
    | undefined;

  const load = async () => {
    const [{ openProcesses }, { openStdio }] = await Promise.all([
      import('../../base/process/processes.ts'),
      import('./stdio.ts'),
    ]);
    return { processes: openProcesses({ env }), openStdio };
  };

  return {
    stdio: (describe) => async (receiver) => {
      opening ??= load();
      const { processes, openStdio } = await opening;
      return openStdio(describe(), processes, receiver);
    },
    async close() {
      if (opening !== undefined) await (await opening).processes.close();
    },
  };
}
