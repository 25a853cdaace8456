import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's young generation at its initial size until the returned function is called. V8 doubles it while much survives,
 * as at the launch of many servers, and never gives that memory back to a process that is not idle.
 *
 * Node warns about flags that change after the start. This one is a factor that V8 reads whenever it grows the young
 * generation; a factor of 1 adds no page.
 */
export function limitHeapGrowth(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1');
  return () => setFlagsFromString('--semi-space-growth-factor=2');
}
