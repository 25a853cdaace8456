import { isStartingOrReady } from '../../upstream/state.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { Readiness } from '../servers/readiness.ts';

/**
 * Stops all servers except those that a client asked for and that are not cached yet. These may finish listing their
 * tools, which are cached for the next client; otherwise a server that starts more slowly than its clients stay would
 * never be cached. Servers still queued for launch are included, because a client may leave right after `initialize`.
 */
export async function finishCaching(
  servers: readonly GatewayServer[],
  readiness: Pick<Readiness, 'callWhen'>,
  withinMs: number,
): Promise<void> {
  const uncached = servers.filter(isUncached);
  if (uncached.length === 0 || withinMs <= 0) return;
  const others = servers.filter((server) => !uncached.includes(server));
  const stopped = Promise.all(others.map(({ upstream }) => upstream.close()));
  await new Promise<void>((resolve) => readiness.callWhen(() => !uncached.some(isUncached), withinMs, resolve));
  // Closing the gateway awaits these servers.
  void stopped;
}

/** Excludes failed servers, but includes those that were too slow, in this run or an earlier one. */
function isUncached({ upstream, catalog }: GatewayServer): boolean {
  const { state, startFailure } = upstream;
  const hasFailed = startFailure !== undefined && startFailure.code !== 'TIMED_OUT';
  return isStartingOrReady(state) && !hasFailed && !catalog.isKnown('tools');
}
