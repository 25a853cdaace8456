import { AppError } from '../../../base/errors.ts';
import type { EngineCapability } from '../../engine.ts';

/** Capabilities that `codex exec` does not have. Whether it can fork depends on its version: see `FORK_UNSUPPORTED`. */
export const UNSUPPORTED: Readonly<Partial<Record<EngineCapability, string>>> = {
  ask: 'The exec engine cannot ask for approvals: what the sandbox allows is run, and what would need more is refused. Use the app-server engine, or a sandbox that allows it.',
  steer: 'The exec engine cannot put a message into a running turn: wait until it has ended, or interrupt it.',
  review: "The exec engine cannot run Codex's review: use the app-server engine, or ask for a review in a prompt.",
  models: 'The exec engine cannot tell which models there are: use the app-server engine.',
  rateLimits: 'The exec engine cannot tell what the account may still use: use the app-server engine.',
};

const OPEN_UNSUPPORTED = 'The exec engine cannot open a session without a prompt: start one with its first turn.';

/** Returns an engine method that always rejects with the reason. */
export function rejectUnsupported(ability: EngineCapability | 'open'): () => Promise<never> {
  const reason = ability === 'open' ? OPEN_UNSUPPORTED : (UNSUPPORTED[ability] ?? `The exec engine cannot ${ability}.`);
  return () => Promise.reject(new AppError('REQUEST_FAILED', reason));
}
