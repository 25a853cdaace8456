import { AppError } from '../../base/errors.ts';
import { pollEvery, waitUntil } from '../../base/wait-until.ts';
import type { Upstream } from '../upstream.ts';

/** Time limit for a removed server to finish its pending calls. After that they fail. */
const DRAIN_MS = 30_000;
const POLL_EVERY_MS = 25;

/**
 * Stops a server that was replaced or removed: it gets no new calls, finishes the pending ones within a time limit, and
 * stops. Calls that it has not received move to its successor, or fail if there is none. Resolves when the server has
 * exited.
 */
export async function drainUpstream(upstream: Upstream, successor?: Upstream, graceMs = DRAIN_MS): Promise<void> {
  const change = successor === undefined ? 'removed from the config' : 'replaced, because its config has changed';
  upstream.drain(new AppError('CONNECTION_CLOSED', `${upstream.id} was ${change}.`), successor);
  const isDone = () => upstream.pendingCalls === 0 || upstream.state.kind !== 'ready';
  await waitUntil(pollEvery(POLL_EVERY_MS), isDone, { timeoutMs: graceMs });
  await upstream.close();
}
