import type { GatewayServer } from './gateway-server.ts';

/**
 * Decides when each server is started. A server without a cached catalog for clients like this one starts immediately,
 * because the client may wait for its list. A cached server waits until the client has its first list, which speeds up that list; a lazy one waits for its first
 * call. A server whose last start failed delays no client and starts together with the cached ones.
 */
export interface LaunchOrder {
  /** Called on `initialize`. */
  start(servers: readonly GatewayServer[]): void;
  /** Called when the client has its list. */
  listAnswered(): void;
}

/** How long to wait for a client to request a list. */
const LIST_REQUEST_WITHIN_MS = 100;

export function createLaunchOrder(isLazy: (server: GatewayServer) => boolean): LaunchOrder {
  let deferred: GatewayServer[] = [];

  const startAll = (servers: readonly GatewayServer[]) => {
    // The response to the client is sent first.
    setImmediate(() => {
      for (const { upstream } of servers) upstream.start();
    });
  };

  const startDeferred = () => {
    if (deferred.length === 0) return;
    startAll(deferred);
    deferred = [];
  };

  return {
    start(servers) {
      const isKnown = ({ catalog }: GatewayServer) => catalog.isKnown('tools');
      const lazy = servers.filter((server) => isKnown(server) && isLazy(server));
      for (const { upstream } of lazy) upstream.stayIdle();
      const isAwaited = (server: GatewayServer) =>
        (!isKnown(server) || server.hasFallbackCatalog) && server.upstream.startFailure === undefined;
      const eager = servers.filter((server) => !lazy.includes(server));
      startAll(eager.filter(isAwaited));
      deferred.push(...eager.filter((server) => !isAwaited(server)));
      setTimeout(startDeferred, LIST_REQUEST_WITHIN_MS).unref();
    },
    listAnswered: startDeferred,
  };
}
