import { createDeferred } from '../../base/deferred.ts';
import { compareEntries } from '../../config/entry/compare-entries.ts';
import type { LoadedConfig, ServerEntry } from '../../config/server-entry.ts';
import { drainUpstream } from '../../upstream/lifecycle/drain-upstream.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { ServerRecords } from '../cache/server-records.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServer } from './gateway-server.ts';
import type { CreateServer } from './server-factory.ts';
import type { ServerPool } from './server-pool.ts';
import type { ServerRegistry } from './server-registry.ts';

/** The effect of a new config on the servers, by id. Adjusted servers keep their process under changed settings. */
export type ConfigChange = Readonly<Record<'started' | 'replaced' | 'adjusted' | 'stopped', readonly string[]>>;

export interface ApplyConfigOptions {
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

/**
 * Returns a function that applies a config to the servers. Unchanged servers are not touched. A changed server is
 * replaced: the new instance takes every new call while the old one drains. Calls that the old instance has not received
 * move to the new one; those it has received fail if they take longer than the drain allows.
 */
export function createConfigApplier(options: ApplyConfigOptions): (config: LoadedConfig) => ConfigChange {
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

  /** Stops a server that no client sees any more. Its successor starts when a client sees it again. */
  const parkServer = (old: GatewayServer, entry: ServerEntry): GatewayServer => {
    drainServer(old.upstream);
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

  return (config) => {
    registry.setConfig(config);
    const before = new Map(registry.servers.map((server) => [server.entry.id, server]));
    const started: string[] = [];
    const replaced: string[] = [];
    const adjusted: string[] = [];
    const stopped: string[] = [];
    const updated: GatewayServer[] = [];
    for (const { verdict } of config.servers) {
      if (verdict.kind !== 'usable') continue;
      const { entry } = verdict;
      const old = before.get(entry.id);
      before.delete(entry.id);
      const difference = old === undefined ? 'new' : compareEntries(old.entry, entry);
      const isUsed = !isStarted() || isWanted(entry.id);
      if (old === undefined) {
        if (isUsed) started.push(entry.id);
        updated.push(addServer(entry));
      } else if (old.isWanted && !isUsed) {
        stopped.push(entry.id);
        updated.push(parkServer(old, entry));
      } else if (difference === 'server') {
        if (isUsed) replaced.push(entry.id);
        updated.push(replaceServer(old, entry));
      } else {
        if (difference === 'settings') adjusted.push(entry.id);
        adjust(old, entry);
        for (const upstream of pool.processesOf(old)) upstream.setLimits(entry);
        updated.push(old);
        if (!old.isWanted && isWanted(entry.id)) {
          started.push(entry.id);
          startServer(old);
        }
      }
    }
    registry.setServers(updated);
    for (const server of before.values()) {
      drainServer(server.upstream);
      pool.replace(server, undefined, drainServer);
    }
    const removed = [...before.values()].filter(({ isWanted: wasWanted }) => !isStarted() || wasWanted);
    return { started, replaced, adjusted, stopped: [...stopped, ...removed.map(({ entry }) => entry.id)] };
  };
}

/** Applies new settings to a running server. A newly pinned server is pinned to the tools that it lists now. */
function adjust(server: GatewayServer, entry: ServerEntry): void {
  server.entry = entry;
  const { catalog, pin } = server;
  if (entry.pin && catalog.isListed('tools') && catalog.hasList('tools'))
    pin.toolsListed(undefined, catalog.list('tools'));
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
