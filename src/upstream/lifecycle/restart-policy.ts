import type { AppError, ErrorCode } from '../../base/errors.ts';
import { errnoOf } from '../../base/files/errno.ts';
import type { UpstreamState } from '../state.ts';

/** Returns the state after a failure. A restart does not help if the user has to sign in first. */
export function stateAfterFailure(failure: AppError): UpstreamState {
  if (failure.code === 'SIGN_IN_NEEDED') return { kind: 'auth_required', reason: failure.message };
  return { kind: 'error', error: failure };
}

/**
 * Returns the delay before the next start. A server that could not start, connect or become ready will not succeed at
 * once.
 */
export function restartDelay(failure: AppError, usualMs: number): number {
  return SLOW_TO_RECOVER.has(failure.code) ? Math.max(usualMs, SLOW_RECOVERY_MS) : usualMs;
}

const SLOW_TO_RECOVER: ReadonlySet<ErrorCode> = new Set(['SPAWN_FAILED', 'START_FAILED', 'UNREACHABLE', 'HTTP_FAILED']);
const SLOW_RECOVERY_MS = 1_000;

/**
 * Whether the next call may try the server again, however many attempts have failed. A refused connection fails within
 * milliseconds and starts no program, and the first call after the server has returned should succeed.
 */
export function isCheapToRetry(failure: AppError): boolean {
  for (let error: unknown = failure; error instanceof Error; error = error.cause) {
    if (errnoOf(error) === 'ECONNREFUSED') return true;
  }
  return false;
}
