import { createBackOff } from '../../../base/backoff.ts';
import { AppError, toAppError } from '../../../base/errors.ts';
import type { AppServerLink } from './connection.ts';

/** The app-server over all its lives: started when it is needed, and again after it fell. */
export interface Lives {
  /** The running one, or a new one. Rejects while it falls again and again. */
  connected(): Promise<AppServerLink>;
  /** The running one, if there is one. */
  current(): AppServerLink | undefined;
  /** Ends the running one, on purpose: the next `connected` starts another. */
  end(): Promise<void>;
  close(): Promise<void>;
}

/** One that ran for so long fell for a reason of its own. */
const WELL_AFTER_MS = 60_000;

/** `open` is given what to call when the link that it opened has fallen, and told when nobody wants it any more. */
export function createLives(
  open: (fell: (reason: AppError) => void, unwanted: AbortSignal) => Promise<AppServerLink>,
  clock: { now(): number } = performance,
): Lives {
  const backOff = createBackOff({ now: () => clock.now(), random: Math.random });
  let link: AppServerLink | undefined;
  let opening: Promise<AppServerLink> | undefined;
  let openedAt = 0;
  let notBefore = 0;
  let lastFall: AppError | undefined;
  const closing = new AbortController();

  const fell = (reason: AppError) => {
    if (link !== undefined && clock.now() - openedAt > WELL_AFTER_MS) backOff.recovered();
    link = undefined;
    lastFall = reason;
    notBefore = clock.now() + backOff.fell();
  };

  /** Two that start in a new home at the same moment stand in each other's way, once. */
  const openTwice = async (): Promise<AppServerLink> => {
    try {
      return await open(fell, closing.signal);
    } catch (error) {
      if (lastFall !== undefined || closing.signal.aborted || toAppError(error).code !== 'PROCESS_EXITED') throw error;
      return open(fell, closing.signal);
    }
  };

  const start = async (): Promise<AppServerLink> => {
    try {
      const opened = await openTwice();
      link = opened;
      openedAt = clock.now();
      return opened;
    } catch (error) {
      const reason = toAppError(error);
      // What is missing does not come by waiting, and whoever installs it should not have to wait.
      if (reason.code !== 'CODEX_MISSING' && reason.code !== 'CONFIG_INVALID') fell(reason);
      throw reason;
    } finally {
      opening = undefined;
    }
  };

  return {
    current: () => link,
    async connected() {
      if (closing.signal.aborted) throw new AppError('CONNECTION_CLOSED', 'Codex was closed.');
      if (link !== undefined) return link;
      const pauseMs = notBefore - clock.now();
      if (opening === undefined && pauseMs > 0) throw keepsFalling(lastFall, pauseMs);
      opening ??= start();
      const opened = await opening;
      if (!closing.signal.aborted) return opened;
      await opened.close();
      throw new AppError('CONNECTION_CLOSED', 'Codex was closed.');
    },
    async end() {
      const ended = link;
      link = undefined;
      await ended?.close();
    },
    async close() {
      closing.abort();
      // One that is just being started is closed by whoever waits for it, or here.
      const opened = link ?? (await opening?.catch(() => undefined));
      link = undefined;
      await opened?.close();
    },
  };
}

function keepsFalling(lastFall: AppError | undefined, pauseMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(pauseMs / 1000));
  const text = `Codex ended several times in a row and is started again in ${seconds} s at the earliest. The last time: ${lastFall?.message}`;
  return new AppError('BUSY', text, { cause: lastFall, data: { retryAfterSeconds: seconds } });
}
