import { LIST_KINDS } from '../../upstream/catalog/listing.ts';
import type { ServerRecords } from '../cache/server-records.ts';
import { offersUi } from '../extensions/app-tools.ts';
import type { GatewayView } from '../views/gateway-view.ts';
import type { GatewayViews } from '../views/gateway-views.ts';
import type { FirstInitialize } from './first-initialize.ts';
import type { GatewayServer } from './gateway-server.ts';
import type { LaunchOrder } from './launch-order.ts';
import type { ServerRegistry } from './server-registry.ts';

/** Starts the servers of a view when its first client is initialized. */
export interface Startup {
  /** Only the first call for a view has an effect. */
  start(initializeParams: unknown, view: GatewayView, only?: string): void;
  hasStarted(): boolean;
  /** Calls back once, when the first view has been started. Replaces an earlier callback. */
  onFirst(callback: () => void): void;
  /** The view of the first client, whose list is stored for the next start. */
  firstView(): GatewayView;
  /** Returns whether a client that sees this server has connected. */
  isWanted(serverId: string): boolean;
}

export interface StartupOptions {
  readonly firstInitialize: FirstInitialize;
  readonly registry: ServerRegistry;
  readonly views: GatewayViews;
  readonly records: ServerRecords;
  readonly launchOrder: LaunchOrder;
}

export function createStartup({ firstInitialize, registry, views, records, launchOrder }: StartupOptions): Startup {
  /** In the order of their first clients. */
  const started = new Set<GatewayView>();
  let onFirst = () => {};

  const prepare = (server: GatewayServer) => {
    server.isWanted = true;
    server.upstream.leaveIdle();
    records.restore(server);
    server.hasUi = offersUi(server);
    for (const kind of LIST_KINDS) views.listChanged(server, kind);
  };

  return {
    start(initializeParams, view, only) {
      const isFirst = firstInitialize.receive(initializeParams);
      if (started.has(view)) return;
      started.add(view);
      const wanted = view.servers().filter(({ isWanted }) => !isWanted);
      for (const server of wanted) prepare(server);
      if (only === undefined) launchOrder.start(wanted);
      else startOnly(wanted, only);
      if (!isFirst) return;
      for (const { upstream, isWanted } of registry.servers) if (!isWanted) upstream.stayIdle();
      onFirst();
    },
    hasStarted: () => firstInitialize.isReceived(),
    onFirst(callback) {
      onFirst = callback;
    },
    firstView: () => [...started][0] ?? views.everything,
    isWanted: (serverId) => [...started].some((view) => view.showsServer(serverId)),
  };
}

function startOnly(servers: readonly GatewayServer[], serverId: string): void {
  for (const { upstream } of servers) {
    if (upstream.id === serverId) upstream.start();
    else upstream.stayIdle();
  }
}
