import { AppError } from '../../base/errors.ts';
import { pollEvery, waitUntil } from '../../base/wait-until.ts';
import type { Upstream } from '../upstream.ts';

/** Time limit for a removed server to finish its pending calls. */
const DRAIN_MS = 30_000;
const POLL_EVERY_MS = 25;

/**
 * Stops a server without losing its pending calls: it gets no new calls, finishes the pending ones, and stops. Queued
 * calls move to its successor, or fail if there is none. Resolves when the server has exited.
 */
export async function drainUpstream(upstream: Upstream, successor?: Upstream, graceMs = DRAIN_MS): Promise<void> {
  const gone = new AppError('CONNECTION_CLOSED', `${upstream.id} was removed from the config.`);
  for (const { call, leftMs } of upstream.drain()) {
    if (successor === undefined || call.moveTo?.(successor) !== true) call.fail(gone);
    else successor.call(call, leftMs);
  }
  const isDone = () => upstream.pendingCalls === 0 || upstream.state.kind !== 'ready';
  await waitUntil(pollEvery(POLL_EVERY_MS), isDone, { timeoutMs: graceMs });
  await upstream.close();
}
