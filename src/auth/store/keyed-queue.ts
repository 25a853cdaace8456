import type { AppError } from '../../base/errors.ts';

/** Runs work with the same name one at a time within this process. */
export interface KeyedQueue {
  /** Rejects with `timeoutError` if the wait is too long. The work is then not started. */
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
      // Work that timed out must not let the next one overtake the work that it waited for.
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
