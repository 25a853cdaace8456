import { AppError } from '../../base/errors.ts';

/** Ctrl-C while a call is under way. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** What is awaited, or `CANCELLED`. */
  throwIfInterrupted<Value>(awaited: Promise<Value>): Promise<Value>;
  close(): void;
}

/** The first Ctrl-C ends the call in good order. It is heard once: the second ends the process, as if nobody listened. */
export function listenForInterrupt(): Interrupt {
  const controller = new AbortController();
  const { signal } = controller;
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
