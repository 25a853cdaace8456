import type { Member } from '../servers/gateway-server.ts';
import type { Settling } from '../servers/readiness.ts';

/**
 * Stops all servers except those that a client asked for and that are not cached yet. These may finish listing their
 * tools, which are cached for the next client; otherwise a server that starts more slowly than its clients stay would
 * never be cached. Servers still queued for launch are included, because a client may leave right after `initialize`.
 */
export async function finishLearning(
  members: readonly Member[],
  settling: Pick<Settling, 'until'>,
  withinMs: number,
): Promise<void> {
  const learning = members.filter(isBeingLearned);
  if (learning.length === 0 || withinMs <= 0) return;
  const others = members.filter((member) => !learning.includes(member));
  const stopped = Promise.all(others.map(({ upstream }) => upstream.close()));
  await new Promise<void>((resolve) => settling.until(() => !learning.some(isBeingLearned), withinMs, resolve));
  // Whoever closes the gateway waits for the others.
  void stopped;
}

/** One that failed is not waited for here either. One that was too slow, in this run or an earlier one, is. */
function isBeingLearned({ upstream, catalog }: Member): boolean {
  const { state, startFailure } = upstream;
  const isStarting = state.kind === 'connecting' || state.kind === 'ready';
  const hasFailed = startFailure !== undefined && startFailure.code !== 'TIMED_OUT';
  return isStarting && !hasFailed && !catalog.isKnown('tools');
}
