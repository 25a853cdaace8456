import { setMaxListeners } from 'node:events';
import { AppError } from '../../base/errors.ts';

/** Handles Ctrl-C during a call. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Resolves with the awaited value, or rejects with `CANCELLED`. */
  throwIfInterrupted<Value>(awaited: Promise<Value>): Promise<Value>;
  close(): void;
}

/**
 * The first Ctrl-C cancels the call cleanly. The listener fires once, so the second one terminates the process as
 * usual.
 */
export function listenForInterrupt(): Interrupt {
  const controller = new AbortController();
  const { signal } = controller;
  // Every server that a command contacts listens for the interrupt, which is not a leak.
  setMaxListeners(0, signal);
  const interrupt = () => controller.abort();
  process.once('SIGINT', interrupt);
  return {
    signal,
    throwIfInterrupted(awaited) {
      const interrupted = new Promise<never>((_, reject) => {
        const fail = () => reject(new AppError('CANCELLED', 'Interrupted.'));
        if (signal.aborted) fail();
        else signal.addEventListener('abort', fail, { once: true });
      });
      return Promise.race([awaited, interrupted]);
    },
    close: () => void process.off('SIGINT', interrupt),
  };
}
