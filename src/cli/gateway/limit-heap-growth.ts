import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's young generation at its initial size until the caller calls the returned function. V8 doubles it while
 * many objects survive, as at the launch of many servers, and never returns that memory in a process that is not idle.
 *
 * Node warns about flags that change after startup. V8 reads this factor whenever it grows the young generation; a
 * factor of 1 adds no page.
 */
export function limitHeapGrowth(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1');
  return () => setFlagsFromString('--semi-space-growth-factor=2');
}
