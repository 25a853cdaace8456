import type { SayRequest } from '../engine.ts';
import type { FolderClaim } from '../limits/folder-claims.ts';
import type { TurnCaller } from './turn-caller.ts';

/** Combines the checks and signals that may keep a turn from beginning. */
export function toTurnGuards(
  { check, signal }: TurnCaller,
  startSignal: AbortSignal,
  claim: FolderClaim,
  awaitSnapshot?: () => Promise<void>,
): Pick<SayRequest, 'check' | 'signal'> {
  return {
    check: async (permissions) => {
      // Runs first, so that nothing happens between the checks and the turn.
      await awaitSnapshot?.();
      await check?.(permissions);
      await claim.acquire(permissions);
    },
    signal: signal === undefined ? startSignal : AbortSignal.any([signal, startSignal]),
  };
}
