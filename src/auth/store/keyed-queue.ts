import type { AppError } from '../../base/errors.ts';

/** Work of one name, one after the other, within this process. */
export interface KeyedQueue {
  /** Rejects with `tooLong` when its turn does not come in time; the work is not begun then. */
  run<T>(name: string, turn: QueuedWork<T>): Promise<T>;
}

interface QueuedWork<T> {
  readonly work: () => Promise<T>;
  readonly maxWaitMs: number;
  readonly timeoutError: () => AppError;
}

export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(name, { work, maxWaitMs, timeoutError }) {
      const before = last.get(name);
      const mine = waitForTurn(before, maxWaitMs, timeoutError).then(work);
      // Whoever gave up waiting does not let the next one pass whom it waited for.
      const done = Promise.allSettled([before, mine]);
      last.set(name, done);
      void done.then(() => {
        if (last.get(name) === done) last.delete(name);
      });
      return mine;
    },
  };
}

async function waitForTurn(
  before: Promise<unknown> | undefined,
  maxWaitMs: number,
  timeoutError: () => AppError,
): Promise<void> {
  if (before === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError()), maxWaitMs);
  });
  try {
    await Promise.race([before, limit]);
  } finally {
    clearTimeout(timer);
  }
}
