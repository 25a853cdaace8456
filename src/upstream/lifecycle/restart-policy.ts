import type { AppError, ErrorCode } from '../../base/errors.ts';
import { errnoOf } from '../../config/files/small-file.ts';
import type { UpstreamState } from '../state.ts';

/** How it stands with a server that fell. To start it again does not help when a person has to sign in first. */
export function stateAfter(fall: AppError): UpstreamState {
  if (fall.code === 'SIGN_IN_NEEDED') return { kind: 'auth_required', reason: fall.message };
  return { kind: 'error', error: fall };
}

/** How long it rests. What could not be started or reached, or never became ready, will not do better at once. */
export function pauseAfter(fall: AppError, usualMs: number): number {
  return HOPELESS.has(fall.code) ? Math.max(usualMs, HOPELESS_PAUSE_MS) : usualMs;
}

const HOPELESS: ReadonlySet<ErrorCode> = new Set(['SPAWN_FAILED', 'START_FAILED', 'UNREACHABLE', 'HTTP_FAILED']);
const HOPELESS_PAUSE_MS = 1_000;

/**
 * Whether the next call may try the server again, however many attempts have failed. A refused connection fails within
 * milliseconds and starts no program, and the first call after the server has returned should succeed.
 */
export function isCheapToRetry(fall: AppError): boolean {
  for (let error: unknown = fall; error instanceof Error; error = error.cause) {
    if (errnoOf(error) === 'ECONNREFUSED') return true;
  }
  return false;
}
