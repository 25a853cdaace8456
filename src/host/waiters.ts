/** Callers that wait for a condition of the servers. */
export interface Waiters {
  /** Checks the conditions again, because something may have changed. */
  look(): void;
  /** Resolves when `isDone` returns true, when the signal is aborted, or after the timeout. */
  until(isDone: () => boolean, timeoutMs: number, signal?: AbortSignal): Promise<void>;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

export function createWaiters(): Waiters {
  const waiting = new Set<() => void>();
  return {
    look() {
      // Deferred, because a server that has just become ready is about to request its lists again.
      queueMicrotask(() => {
        for (const tryIt of waiting) tryIt();
      });
    },
    async until(isDone, timeoutMs, signal) {
      const isOver = () => signal?.aborted === true || isDone();
      if (isOver()) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          waiting.delete(tryIt);
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const tryIt = () => {
          if (isOver()) done();
        };
        // The maximum delay of a timer.
        const timer = setTimeout(done, Math.min(timeoutMs, MAX_TIMER_MS));
        signal?.addEventListener('abort', done);
        waiting.add(tryIt);
      });
    },
  };
}
