import { isThenable } from './thenable.ts';

/** Tells the application something. Its faults, at once or later, must not cost a server or a call. */
export function callSafely(tell: () => unknown, onFault: (error: unknown) => void = () => {}): void {
  try {
    const told = tell();
    if (isThenable(told)) told.then(undefined, onFault);
  } catch (error) {
    onFault(error);
  }
}
