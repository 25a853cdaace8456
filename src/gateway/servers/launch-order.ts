import type { GatewayServer } from './gateway-server.ts';

/**
 * When each server is started. One that nobody knows yet is started at once, because the client waits for its list. One
 * that is known from before can wait until the client has its first list, which it gets the sooner for that; a lazy one
 * waits until it is called. One that failed the last time is not waited for, and is started with those that are known.
 */
export interface LaunchOrder {
  /** The client has said hello. */
  start(servers: readonly GatewayServer[]): void;
  /** The client has its list. */
  listAnswered(): void;
}

/** A client that does not ask for a list is not waited for longer than this. */
const LIST_REQUEST_WITHIN_MS = 100;

export function createLaunchOrder(isLazy: (server: GatewayServer) => boolean): LaunchOrder {
  let deferred: GatewayServer[] = [];

  const startAll = (servers: readonly GatewayServer[]) => {
    // The client's answer leaves first.
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
      const isAwaited = (server: GatewayServer) => !isKnown(server) && server.upstream.startFailure === undefined;
      startAll(servers.filter(isAwaited));
      deferred.push(...servers.filter((server) => !isAwaited(server) && !lazy.includes(server)));
      setTimeout(startDeferred, LIST_REQUEST_WITHIN_MS).unref();
    },
    listAnswered: startDeferred,
  };
}
