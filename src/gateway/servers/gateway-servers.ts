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
  /** For every client the same; undefined: each as it needs. */
  readonly profile?: ProfileName | undefined;
  /** Every server that is known from before is started at its first call. */
  readonly isLazy?: boolean | undefined;
  /** Keeps the list of tools for the next start. */
  readonly saveSnapshot?: SaveSnapshot | undefined;
}

/** All servers of a config: which they are, what they offer together, and who is told when that changes. */
export interface GatewayServers {
  readonly registry: ServerRegistry;
  readonly catalogs: ProfileCatalogs;
  readonly readiness: Readiness;
  /** A client has said hello: what is known of them is recalled, and they are started, or only the one that is named. */
  start(only?: string): void;
  /** A client has its list of tools: what was put off for its sake is done now. */
  listAnswered(): void;
  /** The state of one of them may have changed. */
  stateChanged(upstream: Upstream): void;
  /** The config is another one now. */
  applyConfig(config: LoadedConfig): ConfigChange;
  /** Somebody may have trusted tools that were held back. */
  trustChanged(): void;
  /** The clients have left: servers that nobody knows yet may list their tools, the others are stopped. */
  finishCaching(withinMs: number): Promise<void>;
  /** Before they are stopped: those that never listed their tools have failed to start. */
  beforeClose(): void;
  /** When all of them have been stopped; resolves when everything is kept that was learned. */
  close(): Promise<void>;
}

interface GatewayServersParts {
  readonly core: GatewayCore;
  readonly transports: Transports;
  /** A list of this server was read, or the request for it failed. */
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
      // The list may be the same, but it is made from other files now.
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
      // Kept before anything is waited for: whoever asked us to end may not be patient.
      persistence.flush();
      startFailures.clientsDisconnected(registry.servers);
      return finishCaching(registry.servers, readiness, withinMs);
    },
    beforeClose: () => startFailures.freeze(registry.servers),
    async close() {
      await persistence.close();
      startFailures.close();
      // After the catalogs: the list is made from those.
      await snapshots.close();
    },
  };
}

function isSameOrder(before: readonly GatewayServer[], after: readonly GatewayServer[]): boolean {
  return before.length === after.length && before.every((server, index) => server === after[index]);
}

/** Unless it would read the same list again. */
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
