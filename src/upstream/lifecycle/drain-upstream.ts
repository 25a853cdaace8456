import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../upstream.ts';

/** How long a server that is no longer wanted may work on what it has. */
const DRAIN_MS = 30_000;
const POLL_EVERY_MS = 25;

/**
 * Ends a server without losing what it works on: it gets no more calls, finishes those that it has, and is stopped.
 * Those that still wait for it go to its successor; without one they are told. Resolves when it is gone.
 */
export async function drainUpstream(upstream: Upstream, successor?: Upstream, graceMs = DRAIN_MS): Promise<void> {
  const gone = new AppError('CONNECTION_CLOSED', `${upstream.id} was taken out of the config.`);
  for (const { call, leftMs } of upstream.drain()) {
    if (successor === undefined || call.moveTo?.(successor) !== true) call.fail(gone);
    else successor.call(call, leftMs);
  }
  const end = performance.now() + graceMs;
  while (upstream.pendingCalls > 0 && upstream.state.kind === 'ready' && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  await upstream.close();
}
