import type { LoadedConfig } from '../../config/server-entry.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { chooseProfile } from '../../schema/profiles/registry.ts';
import { LIST_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import { relayedCapabilities } from '../../upstream/connection/handshake.ts';
import type { Transports } from '../../upstream/transports/transports.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject } from '../../wire/messages.ts';
import { createAggregateEvents } from '../bridge/aggregate-events.ts';
import { notifyListChanged } from '../bridge/list-changed.ts';
import { sendLogLevel } from '../bridge/logging.ts';
import { sharedRoots } from '../bridge/shared-roots.ts';
import { dropHiddenSubscriptions } from '../bridge/subscriptions.ts';
import { createTaskAudience } from '../bridge/task-recipients.ts';
import { createUpstreamListener, type ServerAudience } from '../bridge/upstream-listener.ts';
import { finishCaching } from '../cache/finish-caching.ts';
import { createServerRecords, type ServerRecords, type ServerRecordsOptions } from '../cache/server-records.ts';
import { createSnapshotWriter, type SaveSnapshot, type SnapshotWriter } from '../cache/snapshot-writer.ts';
import type { AggregateCatalog } from '../catalog/aggregate-catalog.ts';
import type { Client } from '../client/client.ts';
import { offersUi } from '../extensions/app-tools.ts';
import { capabilitiesOfServers } from '../extensions/offered-capabilities.ts';
import { type ConditionReporter, createConditionReporter } from '../status/condition-reporter.ts';
import { mergeInstructions } from '../status/instructions.ts';
import { statusResource } from '../status/status-resource.ts';
import type { GatewayView } from '../views/gateway-view.ts';
import { GatewayViews } from '../views/gateway-views.ts';
import { problemsForClients } from '../views/view-problems.ts';
import { type ConfigChange, createConfigApplier } from './apply-config.ts';
import { FirstInitialize } from './first-initialize.ts';
import type { GatewayServer } from './gateway-server.ts';
import { createLaunchOrder, type LaunchOrder } from './launch-order.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { createServerFactory, type ServerFactoryOptions } from './server-factory.ts';
import { type PoolLimits, ServerPool } from './server-pool.ts';
import { ServerRegistry } from './server-registry.ts';
import type { ServerSharing } from './server-sharing.ts';
import { createStartup, type Startup } from './startup.ts';
import { createTaskRoutes, type TaskRoutes } from './task-routes.ts';

export interface GatewayServersOptions extends ServerFactoryOptions, ServerRecordsOptions {
  readonly config: LoadedConfig;
  readonly hasPrefix: boolean;
  /** The profile for all clients. Default: chosen for each client. */
  readonly profile?: ProfileName | undefined;
  /** Start every cached server only on its first call. */
  readonly isLazy?: boolean | undefined;
  readonly poolLimits?: Partial<PoolLimits> | undefined;
  /** Saves the tool list for the next start. */
  readonly saveSnapshot?: SaveSnapshot | undefined;
  /** Leaves servers out if other people can use the gateway. */
  readonly sharing?: ServerSharing | undefined;
}

interface GatewayServersParts {
  readonly clients: ReadonlySet<Client>;
  readonly transports: Transports;
}

/** All servers of a config, their merged catalogs, and the notifications about changes. */
export class GatewayServers {
  readonly registry: ServerRegistry;
  readonly readiness: Readiness;
  readonly views: GatewayViews;
  readonly tasks: TaskRoutes;
  readonly pool: ServerPool;
  readonly #options: GatewayServersOptions;
  readonly #clients: ReadonlySet<Client>;
  readonly #launchOrder: LaunchOrder;
  readonly #startup: Startup;
  readonly #records: ServerRecords;
  readonly #snapshots: SnapshotWriter;
  readonly #conditions: ConditionReporter;
  readonly #applyToServers: (config: LoadedConfig) => ConfigChange;
  /** As loaded, with the servers that are left out. */
  #loadedConfig: LoadedConfig;
  #isClosing = false;

  constructor(options: GatewayServersOptions, { clients, transports }: GatewayServersParts) {
    this.#options = options;
    this.#clients = clients;
    this.#loadedConfig = options.config;
    const config = this.#limit(options.config);
    const registry = new ServerRegistry(config);
    const firstInitialize = new FirstInitialize();
    const { params: initializeParams, isReceived: isStarted } = firstInitialize;
    this.registry = registry;
    this.tasks = createTaskRoutes({
      registry,
      processes: {
        acquire: (server, client) => this.pool.acquire(server, client),
        clientsOf: (upstream) => this.pool.clientsOf(upstream),
      },
    });
    this.readiness = createReadiness(() => registry.servers);
    this.views = new GatewayViews({
      config: () => registry.config,
      servers: () => registry.servers,
      hasPrefix: options.hasPrefix,
      builtIn: { resources: [statusResource] },
      warn: options.log.warn,
    });
    // A process for one client only starts when that client needs it.
    const isLazy = ({ entry: { start, share } }: GatewayServer) =>
      options.isLazy === true || start === 'lazy' || share === 'client';
    this.#launchOrder = createLaunchOrder(isLazy);
    this.#conditions = createConditionReporter(registry, options.log.warn);
    this.#records = createServerRecords(options, { initializeParams, onFailure: () => this.#failuresChanged() });
    this.#startup = createStartup({
      ...{ firstInitialize, registry, views: this.views, records: this.#records, launchOrder: this.#launchOrder },
    });
    const { firstView } = this.#startup;
    this.#snapshots = createSnapshotWriter({
      registry,
      view: firstView,
      records: this.#records,
      instructions: () => this.instructions(firstView()),
      capabilities: () => this.capabilities(firstView()),
      profile: () => options.profile ?? chooseProfile(clientInfo(initializeParams())),
      save: async (list) => options.saveSnapshot?.(list, initializeParams()),
    });
    const commonCapabilities = () => relayedCapabilities(initializeParams());
    const audience: ServerAudience = {
      all: clients,
      clientsOf: (upstream) => this.pool.clientsOf(upstream),
      tasks: createTaskAudience(this.tasks, clients),
      sharedRoots: (upstream) => sharedRoots(options.environment.cwd, this.pool.capabilitiesOf(upstream)),
      asked: (upstream, client) => this.pool.separate(upstream, client),
    };
    const { createServer, createProcess } = createServerFactory(options, {
      listener: createUpstreamListener(audience, options.log, {
        ...createAggregateEvents({ audience, registry }),
        stateChanged: (upstream) => this.#stateChanged(upstream),
      }),
      transports,
      commonCapabilities,
      files: () => registry.config.files.map(({ file }) => file),
      onListed: (server, kind) => {
        this.#listChanged(server, kind);
        this.#records.listed(server, kind);
      },
    });
    this.pool = new ServerPool({
      ...{ clients, registry, createProcess, commonCapabilities, limits: options.poolLimits },
      onSeparated: (server) => this.#separated(server),
    });
    this.#applyToServers = createConfigApplier({
      ...{ registry, clients, isLazy, isStarted, records: this.#records, pool: this.pool },
      isWanted: this.#startup.isWanted,
      createServer: (entry, startAfter) => {
        const server = createServer(entry, startAfter);
        this.pool.add(server);
        return server;
      },
    });
    this.#applyToServers(config);
  }

  /** Returns what a client sees. */
  viewOf({ view }: Client): GatewayView {
    return view ?? this.views.everything;
  }

  /** Returns the merged catalog of what a client sees. */
  catalogOf({ view, profile }: Client): AggregateCatalog {
    return (view ?? this.views.everything).catalog(profile);
  }

  /**
   * Restores cached data and starts the servers of a view, or only the named one. Called on every `initialize`; only the
   * first call for a view has an effect. Servers that no client sees stay idle.
   */
  start(initializeParams: unknown, view: GatewayView, only?: string): void {
    this.#startup.start(initializeParams, view, only);
  }

  /** Stops the processes that only this client used, and lowers log levels that only it asked for. */
  clientLeft(client: Client): void {
    if (client.logLevel !== undefined) {
      for (const upstream of this.registry.upstreams())
        if (upstream.state.kind === 'ready') sendLogLevel(upstream, this.pool.clientsOf(upstream));
    }
    this.pool.release(client);
  }

  /** Notifies a client whose session an earlier process opened: the lists may have changed since it read them. */
  sessionRestored(client: Client): void {
    const catalog = this.catalogOf(client);
    client.lists.recordEarlierReads(LIST_KINDS);
    for (const kind of LIST_KINDS.filter((each) => each === 'tools' || catalog.names(each).length > 0))
      notifyListChanged(client, kind, () => this.catalogOf(client).version(kind));
  }

  /** Calls back once, when every server is ready or has failed, or `timeoutMs` after they were started. */
  onSettled(timeoutMs: number, callback: () => void): void {
    this.#startup.onFirst(() => this.readiness.whenAllListed('tools', timeoutMs, callback));
  }

  /** Runs the work that was deferred until a client had its tool list. */
  listAnswered(): void {
    this.#launchOrder.listAnswered();
    this.#records.persistence.listAnswered();
    this.#records.startFailures.listAnswered(this.registry.servers);
  }

  /** Returns the current instructions about the servers of a view. */
  instructions(view: GatewayView): string {
    return mergeInstructions(view.servers(), this.visibleConfig(view), this.#options);
  }

  /** Returns the capabilities of the servers of a view that the gateway does not have by itself, as far as known. */
  capabilities(view: GatewayView): Readonly<Record<string, unknown>> {
    return capabilitiesOfServers(view.servers());
  }

  /** Returns the config as clients of a view may know it. */
  visibleConfig(view: GatewayView): LoadedConfig {
    const { config, servers } = this.registry;
    if (!view.isLimited) return config;
    return {
      ...config,
      servers: config.servers.filter(({ id }) => view.showsServer(id)),
      problems: problemsForClients({ config, servers }, this.views.selectionOf(view)),
    };
  }

  /** Reports each change in the condition of a server from now on. Call it after writing the summary. */
  reportChanges(): void {
    this.#conditions.start();
  }

  /** Applies a new config. Starts, stops or replaces only the servers that changed. */
  applyConfig(loaded: LoadedConfig): ConfigChange {
    // A server started now would have to be stopped again immediately.
    if (this.#isClosing) return NOTHING_CHANGED;
    this.#loadedConfig = loaded;
    const config = this.#limit(loaded);
    const before = this.registry.servers;
    this.views.configChanged(config);
    const change = this.#applyToServers(config);
    for (const client of this.#clients) dropHiddenSubscriptions(client, this.#clients);
    // Even an unchanged list now depends on other files.
    this.#scheduleSnapshot();
    if (Object.values(change).flat().length > 0 || !isSameOrder(before, this.registry.servers))
      this.views.serversChanged();
    for (const kind of LIST_KINDS) this.#notifyListChanged(kind);
    this.#conditions.configApplied(change);
    return change;
  }

  /** Decides again which servers are left out, because a sign-in or the need for one has changed. */
  sharingChanged(): void {
    const { reloadProblem } = this.registry;
    this.applyConfig(this.#loadedConfig);
    this.registry.reloadProblem = reloadProblem;
  }

  /** Reloads the pins, because the user may have trusted quarantined tools. */
  trustChanged(): void {
    for (const server of this.registry.servers) {
      server.pin.reload();
      this.#listChanged(server, 'tools');
    }
  }

  /** Lets uncached servers list their tools and stops the others, after all clients have disconnected. */
  async finishCaching(withinMs: number): Promise<void> {
    this.#isClosing = true;
    this.#conditions.stop();
    // Without `initialize`, no client has asked for the servers.
    if (!this.#startup.hasStarted()) return;
    const { servers } = this.registry;
    // Written before any wait, because the client may kill the process soon.
    this.#records.persistence.flush();
    this.#records.startFailures.clientsDisconnected(servers);
    await finishCaching(servers, this.readiness, withinMs);
  }

  /** Records servers that never listed their tools as failed. Call it before stopping the servers. */
  beforeClose(): void {
    this.#isClosing = true;
    this.#conditions.stop();
    this.#records.startFailures.freeze(this.registry.servers);
  }

  /** Resolves when all collected data is on disk. Call it after all servers have stopped. */
  async close(): Promise<void> {
    await this.#records.persistence.close();
    this.#records.startFailures.close();
    // After the catalogs, because the snapshot depends on their files.
    await this.#snapshots.close();
  }

  #limit(config: LoadedConfig): LoadedConfig {
    return this.#options.sharing?.limit(config) ?? config;
  }

  #stateChanged(upstream: Upstream): void {
    const { sharing } = this.#options;
    if (upstream.state.kind === 'auth_required' && sharing?.mayUseSignIn(upstream.id) === false) {
      sharing.signInNeeded(upstream.id);
      // The upstream is still handling its failure.
      setImmediate(() => this.sharingChanged());
    }
    const server = this.registry.find(upstream);
    this.#records.startFailures.stateChanged(server);
    this.#conditions.check(server);
    this.readiness.check();
  }

  /** Start failures decide which servers lists wait for. */
  #failuresChanged(): void {
    this.#scheduleSnapshot();
    this.readiness.check();
  }

  #separated(server: GatewayServer): void {
    const { id } = server.entry;
    this.#options.log.warn(`${id}: asks its client questions, so each client gets its own process of it from now on.`);
    this.#records.persistence.scheduleWrite(server);
  }

  #listChanged(server: GatewayServer, kind: ListKind): void {
    server.hasUi = offersUi(server);
    this.views.listChanged(server, kind);
    this.#notifyListChanged(kind);
    this.#conditions.check(server);
  }

  #notifyListChanged(kind: ListKind): void {
    if (kind === 'tools') this.#scheduleSnapshot();
    for (const client of this.#clients) notifyListChanged(client, kind, () => this.catalogOf(client).version(kind));
    this.readiness.check();
  }

  /** Not before `initialize`: the list and the cache keys depend on its params. */
  #scheduleSnapshot(): void {
    if (this.#startup.hasStarted()) this.#snapshots.changed();
  }
}

const NOTHING_CHANGED: ConfigChange = { started: [], replaced: [], adjusted: [], stopped: [] };

function isSameOrder(before: readonly GatewayServer[], after: readonly GatewayServer[]): boolean {
  return before.length === after.length && before.every((server, index) => server === after[index]);
}

function clientInfo(initializeParams: unknown): unknown {
  return isObject(initializeParams) ? initializeParams['clientInfo'] : undefined;
}
