import { createDeferred } from '../../base/deferred.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { drainUpstream } from '../../upstream/lifecycle/drain-upstream.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { ServerRecords } from '../cache/server-records.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServer } from './gateway-server.ts';
import type { CreateServer } from './server-factory.ts';
import type { ServerPool } from './server-pool.ts';
import type { ServerRegistry } from './server-registry.ts';

export interface ServerTransitionOptions {
  readonly registry: ServerRegistry;
  readonly createServer: CreateServer;
  readonly pool: Pick<ServerPool, 'replace' | 'processesOf'>;
  readonly records: Pick<ServerRecords, 'restore'>;
  readonly clients: ReadonlySet<Client>;
  /** Returns whether the server, once its tools are cached, starts only on its first call. */
  readonly isLazy: (server: GatewayServer) => boolean;
  /** Returns whether servers have been started. */
  readonly isStarted: () => boolean;
  /** Returns whether a client that has connected sees the server, so that it starts immediately. */
  readonly isWanted: (serverId: string) => boolean;
}

/** What a change of the config can do with a server. */
export interface ServerTransitions {
  add(entry: ServerEntry): GatewayServer;
  /** Starts a server that a client sees for the first time. */
  start(server: GatewayServer): void;
  /** Stops a server that no client sees any more. Its successor starts when a client sees it again. */
  park(old: GatewayServer, entry: ServerEntry): GatewayServer;
  /** The new instance takes every new call while the old one drains. */
  replace(old: GatewayServer, entry: ServerEntry): GatewayServer;
  /** Stops all processes of a server. */
  remove(server: GatewayServer): void;
}

export function createServerTransitions(options: ServerTransitionOptions): ServerTransitions {
  const { registry, createServer, pool, records, clients, isLazy, isStarted, isWanted } = options;

  const drainServer = (upstream: Upstream, successor?: Upstream): void => {
    const stopped = drainUpstream(upstream, successor);
    registry.addDraining(upstream, stopped);
    // An attached client asked for the server as the old entry describes it, so it cannot move to the successor.
    void stopped.then(() => {
      for (const client of clients) client.closeIfAttachedTo(upstream);
    });
  };

  const startServer = (server: GatewayServer): void => {
    server.isWanted = true;
    records.restore(server);
    if (isLazy(server) && server.catalog.isKnown('tools')) server.upstream.stayIdle();
    else server.upstream.start();
  };

  const addServer = (entry: ServerEntry): GatewayServer => {
    const server = createServer(entry, entry.restart === 'stop-first' ? registry.whenDrained(entry.id) : undefined);
    if (isWanted(entry.id)) startServer(server);
    else if (isStarted()) server.upstream.stayIdle();
    return server;
  };

  const parkServer = (old: GatewayServer, entry: ServerEntry): GatewayServer => {
    drainServer(old.upstream);
    pool.replace(old, undefined, drainServer);
    const server = createServer(entry, entry.restart === 'stop-first' ? registry.whenDrained(entry.id) : undefined);
    server.catalog.inherit(old.catalog);
    server.upstream.stayIdle();
    return server;
  };

  const replaceServer = (old: GatewayServer, entry: ServerEntry): GatewayServer => {
    const stopped = createDeferred();
    const server = createServer(entry, entry.restart === 'stop-first' ? stopped.promise : undefined);
    server.isWanted = isWanted(entry.id);
    if (server.isWanted) records.restore(server);
    const hasOwnTools = server.catalog.isKnown('tools');
    // Until the new instance lists its tools, the catalog of the old one is used.
    server.catalog.inherit(old.catalog);
    moveSubscriptions(clients, old.upstream, server.upstream);
    if (hasOwnTools && isLazy(server) && old.upstream.state.kind === 'idle') server.upstream.stayIdle();
    else if (server.isWanted) server.upstream.start();
    else if (isStarted()) server.upstream.stayIdle();
    drainServer(old.upstream, server.upstream);
    server.asksClients = old.asksClients;
    server.isPerClient ||= old.asksClients;
    pool.replace(old, server, (from, to) => {
      if (to !== undefined) moveSubscriptions(clients, from, to);
      drainServer(from, to);
    });
    // All instances: one that was replaced before it started may stop before the instance that it waited for.
    void Promise.resolve(registry.whenDrained(entry.id)).then(stopped.resolve);
    return server;
  };

  return {
    add: addServer,
    start: startServer,
    park: parkServer,
    replace: replaceServer,
    remove(server) {
      drainServer(server.upstream);
      pool.replace(server, undefined, drainServer);
    },
  };
}

/**
 * Moves subscriptions to the new instance, which is subscribed when it connects. Those of attached clients end with the
 * old instance.
 */
function moveSubscriptions(clients: ReadonlySet<Client>, from: Upstream, to: Upstream): void {
  for (const { subscriptions, isAttached } of clients) {
    if (isAttached) continue;
    for (const [clientUri, { upstream, uri }] of subscriptions) {
      if (upstream === from) subscriptions.set(clientUri, { upstream: to, uri });
    }
  }
}
