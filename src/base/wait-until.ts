/** Callers that wait until the servers reach some state. */
export interface ConditionWaiters {
  /** Checks the conditions again, because something may have changed. */
  check(): void;
  /** Resolves when `isDone` returns true, when the signal is aborted, or after the timeout. */
  waitUntil(isDone: () => boolean, timeoutMs: number, signal?: AbortSignal): Promise<void>;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

export function createConditionWaiters(): ConditionWaiters {
  const checks = new Set<() => void>();
  return {
    check() {
      // Deferred, because a server that has just become ready is about to request its lists again.
      queueMicrotask(() => {
        for (const checkOne of checks) checkOne();
      });
    },
    async waitUntil(isDone, timeoutMs, signal) {
      const isOver = () => signal?.aborted === true || isDone();
      if (isOver()) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          checks.delete(checkOne);
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const checkOne = () => {
          if (isOver()) done();
        };
        // A longer delay would overflow and fire at once.
        const timer = setTimeout(done, Math.min(timeoutMs, MAX_TIMER_MS));
        signal?.addEventListener('abort', done);
        checks.add(checkOne);
      });
    },
  };
}
