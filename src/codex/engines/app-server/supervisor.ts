import { createBackoff } from '../../../base/backoff.ts';
import { AppError, toAppError } from '../../../base/errors.ts';
import type { AppServerConnection } from './connection.ts';

/** The app-server over all its lives: started when it is needed, and again after it fell. */
export interface Supervisor {
  /** The running one, or a new one. Rejects while it falls again and again. */
  connect(): Promise<AppServerConnection>;
  /** The running one, if there is one. */
  current(): AppServerConnection | undefined;
  /** Ends the running one, on purpose: the next `connected` starts another. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** One that ran for so long fell for a reason of its own. */
const STABLE_AFTER_MS = 60_000;

/** `open` is given what to call when the link that it opened has fallen, and told when nobody wants it any more. */
export function createSupervisor(
  open: (onCrash: (reason: AppError) => void, signal: AbortSignal) => Promise<AppServerConnection>,
  clock: { now(): number } = performance,
): Supervisor {
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

  /** Two that start in a new home at the same moment stand in each other's way, once. */
  const openWithRetry = async (): Promise<AppServerConnection> => {
    try {
      return await open(onCrash, closing.signal);
    } catch (error) {
      if (lastCrash !== undefined || closing.signal.aborted || toAppError(error).code !== 'PROCESS_EXITED') throw error;
      return open(onCrash, closing.signal);
    }
  };

  const start = async (): Promise<AppServerConnection> => {
    try {
      const opened = await openWithRetry();
      connection = opened;
      openedAt = clock.now();
      return opened;
    } catch (error) {
      const reason = toAppError(error);
      // What is missing does not come by waiting, and whoever installs it should not have to wait.
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
      // One that is just being started is closed by whoever waits for it, or here.
      const opened = connection ?? (await opening?.catch(() => undefined));
      connection = undefined;
      await opened?.close();
    },
  };
}

function crashLoopError(lastCrash: AppError | undefined, backoffMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(backoffMs / 1000));
  const text = `Codex ended several times in a row and is started again in ${seconds} s at the earliest. The last time: ${lastCrash?.message}`;
  return new AppError('BUSY', text, { cause: lastCrash, data: { retryAfterSeconds: seconds } });
}
