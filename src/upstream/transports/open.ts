import { openProcesses } from '../../base/process/processes.ts';
import { createByteBudget } from '../../wire/byte-budget.ts';
import { MAX_UNFINISHED_BYTES } from '../limits.ts';
import { openStdio, type StdioServer } from './stdio.ts';
import type { OpenTransport } from './transport.ts';

/** Opens servers of every kind, and stops what was started. */
export interface Transports {
  /** `describe` is asked at each start, because what a server needs may have changed. */
  stdio(describe: () => StdioServer): OpenTransport;
  /** Stops everything that is still running. May be called twice, never throws. */
  close(): Promise<void>;
}

/** `env` is our own environment. */
export function createTransports(env: Readonly<Record<string, string | undefined>>): Transports {
  const processes = openProcesses({ env });
  const unfinishedBytes = createByteBudget(MAX_UNFINISHED_BYTES);
  return {
    stdio: (describe) => async (receiver) => openStdio(describe(), { processes, unfinishedBytes }, receiver),
    close: () => processes.close(),
  };
}
