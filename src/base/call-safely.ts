import { isThenable } from './thenable.ts';

/** Runs a callback of the application. A throw or a rejection in it must not break a server or a call. */
export function callSafely(callback: () => unknown, onFault: (error: unknown) => void = () => {}): void {
  try {
    const result = callback();
    if (isThenable(result)) result.then(undefined, onFault);
  } catch (error) {
    onFault(error);
  }
}
