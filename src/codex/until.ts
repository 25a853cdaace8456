import type { AppError } from '../base/errors.ts';

/** Anything whose changes can be listened to. */
interface ChangeSource {
  onChange(listener: () => void): () => void;
}

export interface WaitUntilOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with true when it is so, at once if it is already; with false when the time is over. Rejects when aborted. */
export function waitUntil(
  source: ChangeSource,
  condition: () => boolean,
  { timeoutMs, signal }: WaitUntilOptions,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as AppError);
    if (condition()) return resolve(true);
    const timer = setTimeout(() => finish(() => resolve(false)), timeoutMs);
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
