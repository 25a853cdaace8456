import type { LoadedConfig } from '../../config/server-entry.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { chooseProfile } from '../../schema/profiles/registry.ts';
import { LIST_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import type { Transports } from '../../upstream/transports/transports.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject } from '../../wire/messages.ts';
import { finishCaching } from '../cache/finish-caching.ts';
import { createSnapshotWriter, type SaveSnapshot } from '../cache/snapshot-writer.ts';
import { plainNames, prefixedNames } from '../catalog/naming-scheme.ts';
import { createProfileCatalogs, type ProfileCatalogs } from '../catalog/profile-catalogs.ts';
import type { Client } from '../client/client.ts';
import type { GatewayCore } from '../gateway.ts';
import { listChangedMethod } from '../routing/aggregate-routing.ts';
import { mergeInstructions } from '../status/instructions.ts';
import { statusResource } from '../status/status-resource.ts';
import { type ConfigChange, createConfigApplier } from './apply-config.ts';
import type { GatewayServer } from './gateway-server.ts';
import { createLaunchOrder } from './launch-order.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { createServerFactory, type ServerFactoryOptions } from './server-factory.ts';
import { ServerRegistry } from './server-registry.ts';

export interface GatewayServersOptions extends ServerFactoryOptions {
  readonly config: LoadedConfig;
  readonly hasPrefix: boolean;
  /** The profile for all clients. Default: chosen for each client. */
  readonly profile?: ProfileName | undefined;
  /** Start every cached server only on its first call. */
  readonly isLazy?: boolean | undefined;
  /** Saves the tool list for the next start. */
  readonly saveSnapshot?: SaveSnapshot | undefined;
}

/** All servers of a config, their merged catalogs, and the notifications about changes. */
export interface GatewayServers {
  readonly registry: ServerRegistry;
  readonly catalogs: ProfileCatalogs;
  readonly readiness: Readiness;
  /** Restores cached data and starts the servers, or only the named one. Called on `initialize`. */
  start(only?: string): void;
  /** Runs the work that was deferred until a client had its tool list. */
  listAnswered(): void;
  /** Handles a possible state change of a server. */
  stateChanged(upstream: Upstream): void;
  /** Applies a new config. */
  applyConfig(config: LoadedConfig): ConfigChange;
  /** Reloads the pins, because the user may have trusted quarantined tools. */
  trustChanged(): void;
  /** Lets uncached servers list their tools and stops the others, after all clients have disconnected. */
  finishCaching(withinMs: number): Promise<void>;
  /** Records servers that never listed their tools as failed. Call it before stopping the servers. */
  beforeClose(): void;
  /** Resolves when all collected data is on disk. Call it after all servers have stopped. */
  close(): Promise<void>;
}

interface GatewayServersParts {
  readonly core: GatewayCore;
  readonly transports: Transports;
  /** Called when a list of a server was read or its request failed. */
  readonly onListed: (server: GatewayServer) => void;
}

export function createGatewayServers(
  options: GatewayServersOptions,
  { core, transports, onListed }: GatewayServersParts,
): GatewayServers {
  let { config } = options;
  const registry = new ServerRegistry();
  const readiness = createReadiness(() => registry.servers);
  const factory = createServerFactory(options, {
    core,
    transports,
    files: () => config.files.map(({ file }) => file),
    onListed: (server, kind) => handleListed(server, kind),
    onFailure() {
      snapshots.changed();
      readiness.check();
    },
  });
  const { persistence, startFailures } = factory;
  const catalogs = createProfileCatalogs({
    servers: () => registry.servers,
    namingScheme: options.hasPrefix ? prefixedNames : plainNames,
    builtIn: { resources: [statusResource] },
  });
  const isLazy = ({ entry }: GatewayServer) => options.isLazy === true || entry.start === 'lazy';
  const launchOrder = createLaunchOrder(isLazy);
  const applyToRegistry = createConfigApplier({ ...core, registry, factory, isLazy });
  const snapshots = createSnapshotWriter({
    registry,
    catalogs,
    persistence,
    failures: startFailures,
    instructions: () => mergeInstructions(registry.servers, config, options),
    config: () => config,
    profile: () => options.profile ?? chooseProfile(clientInfo(core.initializeParams())),
    save: async (list) => options.saveSnapshot?.(list, core.initializeParams()),
  });

  const notifyListChanged = (kind: ListKind) => {
    if (kind === 'tools') snapshots.changed();
    for (const client of core.clients) notifyListChange(client, kind, catalogs);
    readiness.check();
  };

  const handleListed = (server: GatewayServer, kind: ListKind) => {
    catalogs.listChanged(server, kind);
    notifyListChanged(kind);
    onListed(server);
  };

  applyToRegistry(config);
  return {
    registry,
    catalogs,
    readiness,
    start(only) {
      registry.servers.forEach(factory.restore);
      catalogs.serversChanged();
      if (only === undefined) launchOrder.start(registry.servers);
      else startOnly(registry.servers, only);
    },
    listAnswered() {
      launchOrder.listAnswered();
      persistence.listAnswered();
      startFailures.listAnswered(registry.servers);
    },
    stateChanged: (upstream) => startFailures.stateChanged(registry.find(upstream)),
    applyConfig(next) {
      config = next;
      const before = registry.servers;
      const change = applyToRegistry(next);
      const isSame = Object.values(change).flat().length === 0 && isSameOrder(before, registry.servers);
      // Even an unchanged list now depends on other files.
      snapshots.changed();
      if (isSame) return change;
      catalogs.serversChanged();
      LIST_KINDS.forEach(notifyListChanged);
      return change;
    },
    trustChanged() {
      for (const server of registry.servers) {
        server.pin.reload();
        handleListed(server, 'tools');
      }
    },
    finishCaching(withinMs) {
      // Written before any wait, because the client may kill the process soon.
      persistence.flush();
      startFailures.clientsDisconnected(registry.servers);
      return finishCaching(registry.servers, readiness, withinMs);
    },
    beforeClose: () => startFailures.freeze(registry.servers),
    async close() {
      await persistence.close();
      startFailures.close();
      // After the catalogs, because the snapshot depends on their files.
      await snapshots.close();
    },
  };
}

function isSameOrder(before: readonly GatewayServer[], after: readonly GatewayServer[]): boolean {
  return before.length === after.length && before.every((server, index) => server === after[index]);
}

/** Notifies the client unless it would read the same list again. */
function notifyListChange(client: Client, kind: ListKind, catalogs: ProfileCatalogs): void {
  const version = () => catalogs.forProfile(client.profile).version(kind);
  client.lists.listChanged(kind, version, () => client.notify(listChangedMethod(kind)));
}

function clientInfo(initializeParams: unknown): unknown {
  return isObject(initializeParams) ? initializeParams['clientInfo'] : undefined;
}

function startOnly(servers: readonly GatewayServer[], serverId: string): void {
  for (const { upstream } of servers) {
    if (upstream.id === serverId) upstream.start();
    else upstream.stayIdle();
  }
}
