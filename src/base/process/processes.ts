import { once } from 'node:events';
import { randomHex } from '../digest.ts';
import { AppError } from '../errors.ts';
import { openGuard } from './guard.ts';
import { MARK_VARIABLE } from './mark.ts';
import { createProcessScanner } from './process-scanner.ts';
import { type SpawnedProcess, type SpawnOptions, spawnProcess } from './spawn.ts';

export interface Processes {
  /** Starts a program without a shell; rejects with `SPAWN_FAILED` when that is not possible. */
  spawn(options: SpawnOptions): Promise<SpawnedProcess>;
  /** Stops everything that was started. May be called twice, never throws; later spawns are refused. */
  close(): Promise<void>;
}

/**
 * Owns all processes of one run, the mark that identifies them and the guard that outlives us.
 * `env` is our own environment: the guard runs in it, and a mark in it means that our parent tracks us in the same way.
 *
 * @example
 * const processes = openProcesses({ env: process.env });
 * const server = await processes.spawn({ command: 'node', args: ['server.js'], env });
 * await processes.close();
 */
export function openProcesses({ env }: { readonly env: Readonly<Record<string, string | undefined>> }): Processes {
  const run = randomHex(16);
  // Marks are chained, so that our parent finds our processes too, even behind an environment allow-list.
  const prefix = `${env[MARK_VARIABLE] ?? ''}${run}/`;
  const scanProcesses = createProcessScanner({ prefix });
  const guard = openGuard({ run, env });
  const started = new Set<Promise<SpawnedProcess>>();
  let count = 0;
  let closing: Promise<void> | undefined;

  async function spawn(options: SpawnOptions): Promise<SpawnedProcess> {
    if (closing !== undefined) throw closedError(options);
    count += 1;
    const starting = spawnProcess(options, { mark: `${prefix}${count}/`, guard, scanProcesses });
    started.add(starting);
    void finished(starting).finally(() => started.delete(starting));
    const spawned = await starting;
    if (closing === undefined) return spawned;
    await closing;
    throw closedError(options);
  }

  async function stopAll(): Promise<void> {
    await Promise.allSettled([...started].map(async (starting) => (await starting).stop('closed')));
    await guard.close();
  }

  function close(): Promise<void> {
    closing ??= stopAll();
    return closing;
  }

  return { spawn, close };
}

/** Also waits until stdout is closed: while a foreign process holds the pipe open, only `stop` releases our end. */
async function finished(starting: Promise<SpawnedProcess>): Promise<void> {
  try {
    const { treeExited, stdout } = await starting;
    await treeExited;
    if (!stdout.closed) await once(stdout, 'close');
  } catch {
    // The process never started. The caller of `spawn` gets the error.
  }
}

function closedError({ command }: SpawnOptions): AppError {
  return new AppError('CANCELLED', `Not started, because all processes are being stopped: ${command}`);
}
