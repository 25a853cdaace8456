import type { AppError } from '../base/errors.ts';

/** An object that reports its changes. */
interface ChangeSource {
  onChange(listener: () => void): () => void;
}

export interface WaitUntilOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

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
