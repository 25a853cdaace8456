import type { SayRequest } from '../engine.ts';
import type { FolderClaim } from '../limits/folder-claims.ts';
import type { Driver } from './turn-caller.ts';

/** What may keep a turn from beginning. */
export function guardsOf(
  { check, signal }: Driver,
  start: AbortSignal,
  claim: FolderClaim,
  prepare?: () => Promise<void>,
): Pick<SayRequest, 'check' | 'signal'> {
  return {
    check: async (permissions) => {
      // Runs first, so that nothing happens between the checks and the turn.
      await prepare?.();
      await check?.(permissions);
      await claim.take(permissions);
    },
    signal: signal === undefined ? start : AbortSignal.any([signal, start]),
  };
}
