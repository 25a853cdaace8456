import { setTimeout as delay } from 'node:timers/promises';
import { createBackoff } from '../../../base/backoff.ts';
import { AppError, toAppError } from '../../../base/errors.ts';
import type { AppServerConnection } from './connection.ts';

/** Starts the app-server on demand, and again after a crash. */
export interface AppServerProcess {
  /** Returns the running app-server, or starts one. Rejects during the backoff after repeated crashes. */
  connect(): Promise<AppServerConnection>;
  /** Returns the running app-server, if there is one. */
  current(): AppServerConnection | undefined;
  /** Stops the running app-server on purpose. The next `connect` starts another. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** A process that crashes after this time does not count as part of a crash loop. */
const STABLE_AFTER_MS = 60_000;

const RETRY_DELAYS_MS = [50, 500];

/** Opens a connection. Calls back when it crashes; the signal aborts when it is no longer needed. */
export type OpenAppServer = (onCrash: (reason: AppError) => void, signal: AbortSignal) => Promise<AppServerConnection>;

export function createAppServerProcess(open: OpenAppServer, clock: { now(): number } = performance): AppServerProcess {
  const backOff = createBackoff({ now: () => clock.now(), random: Math.random });
  let connection: AppServerConnection | undefined;
  let opening: Promise<AppServerConnection> | undefined;
  let openedAt = 0;
  let retryAt = 0;
  let lastCrash: AppError | undefined;
  const closing = new AbortController();

  const onCrash = (reason: AppError) => {
    if (connection !== undefined && clock.now() - openedAt > STABLE_AFTER_MS) backOff.recovered();
    connection = undefined;
    lastCrash = reason;
    retryAt = clock.now() + backOff.failed();
  };

  /** Retries the first start, because processes that start in a new CODEX_HOME at the same moment may conflict. */
  const openWithRetries = async (): Promise<AppServerConnection> => {
    const { signal } = closing;
    for (const delayMs of RETRY_DELAYS_MS) {
      try {
        return await open(onCrash, signal);
      } catch (error) {
        if (lastCrash !== undefined || signal.aborted || toAppError(error).code !== 'PROCESS_EXITED') throw error;
        // The other process may need a moment to finish what both of them do first.
        await delay(delayMs, undefined, { signal }).catch(() => Promise.reject(error));
      }
    }
    return open(onCrash, signal);
  };

  const start = async (): Promise<AppServerConnection> => {
    try {
      const opened = await openWithRetries();
      connection = opened;
      openedAt = clock.now();
      return opened;
    } catch (error) {
      const reason = toAppError(error);
      // No backoff for a missing program or an invalid config: waiting does not help, and a fix should work at once.
      if (reason.code !== 'CODEX_MISSING' && reason.code !== 'CONFIG_INVALID') onCrash(reason);
      throw reason;
    } finally {
      opening = undefined;
    }
  };

  return {
    current: () => connection,
    async connect() {
      if (closing.signal.aborted) throw new AppError('CONNECTION_CLOSED', 'Codex was closed.');
      if (connection !== undefined) return connection;
      const backoffMs = retryAt - clock.now();
      if (opening === undefined && backoffMs > 0) throw crashLoopError(lastCrash, backoffMs);
      opening ??= start();
      const opened = await opening;
      if (!closing.signal.aborted) return opened;
      await opened.close();
      throw new AppError('CONNECTION_CLOSED', 'Codex was closed.');
    },
    async stop() {
      const ended = connection;
      connection = undefined;
      await ended?.close();
    },
    async close() {
      closing.abort();
      // If the app-server is just starting, `connect` closes it, or this does.
      const opened = connection ?? (await opening?.catch(() => undefined));
      connection = undefined;
      await opened?.close();
    },
  };
}

function crashLoopError(lastCrash: AppError | undefined, backoffMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(backoffMs / 1000));
  const text = `Codex exited several times in a row and will be restarted in ${seconds} s at the earliest. Last failure: ${lastCrash?.message}`;
  return new AppError('BUSY', text, { cause: lastCrash, data: { retryAfterSeconds: seconds } });
}
