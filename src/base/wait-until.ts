import type { AppError } from './errors.ts';

/** An object that reports its changes. */
export interface ChangeSource {
  /** Calls the listener after every change, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

export interface WaitUntilOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The longest delay that a Node.js timer supports. A longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves to true as soon as the condition holds, at once if it already does. Resolves to false after the timeout.
 * Rejects when aborted.
 */
export function waitUntil(
  source: ChangeSource,
  condition: () => boolean,
  { timeoutMs, signal }: WaitUntilOptions,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as AppError);
    if (condition()) return resolve(true);
    const timer = setTimeout(() => finish(() => resolve(false)), Math.min(timeoutMs, MAX_TIMER_MS));
    const stopListening = source.onChange(() => {
      if (condition()) finish(() => resolve(true));
    });
    const onAbort = () => finish(() => reject(signal?.reason as AppError));
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      stopListening();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A change source whose owner reports the changes. */
export interface Changes extends ChangeSource {
  changed(): void;
}

/**
 * Creates a change source that reports all changes of one turn once, after the turn. A server that has just become
 * ready is about to request its lists again, and one that has crashed may be restarted at once.
 */
export function createChanges(): Changes {
  const listeners = new Set<() => void>();
  let isScheduled = false;
  return {
    changed() {
      if (isScheduled || listeners.size === 0) return;
      isScheduled = true;
      queueMicrotask(() => {
        isScheduled = false;
        for (const listener of listeners) listener();
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Creates a change source for something that does not report its changes. */
export function pollEvery(ms: number): ChangeSource {
  return {
    onChange(listener) {
      const timer = setInterval(listener, ms);
      return () => clearInterval(timer);
    },
  };
}
