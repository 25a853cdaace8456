import { programName } from '../../base/program-name.ts';
import { testCommand } from '../../config/next-command.ts';
import type { ConfigProblem, LoadedConfig } from '../../config/server-entry.ts';
import type { ViewSelection } from '../../config/views/select-view.ts';
import type { HttpStatus } from '../../control/status/running-status.ts';
import { type Definition, isSafeToRepeat } from '../../schema/definitions/definition.ts';
import { createTransports } from '../../upstream/transports/transports.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Client } from '../client/client.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { createAggregateRouting } from '../routing/aggregate-routing.ts';
import type { ErrorStyle } from '../routing/error-response.ts';
import type { ConfigChange } from '../servers/apply-config.ts';
import { type GatewayServer, unlistedReason, whyHidden, whyHiddenByConfig } from '../servers/gateway-server.ts';
import { GatewayServers, type GatewayServersOptions } from '../servers/gateway-servers.ts';
import type { ServerRegistry } from '../servers/server-registry.ts';
import { clientNames } from '../status/client-names.ts';
import { describeServers, type ServerStatus, type StatusSources, statusText } from '../status/server-status.ts';
import { notReadyReason, whyHiddenByName } from '../status/why-absent.ts';
import type { GatewayView } from '../views/gateway-view.ts';
import { unmatchedPatterns } from '../views/view-problems.ts';

export interface AggregateGateway extends Gateway {
  /** Returns whether the config has a usable view of this name. */
  hasView(name: string): boolean;
  /**
   * Returns the view for a new client, to be passed to `connect`. Throws an `AppError` if the named view does not exist
   * (`USAGE`), is invalid (`CONFIG_INVALID`) or untrusted (`DENIED`).
   */
  openView(selection: ViewSelection): GatewayView;
  /** Like `openView`, but a view that cannot be used shows nothing. */
  openViewAnyway(selection: ViewSelection): GatewayView;
  /** Returns whether the config has a usable server with this id. */
  hasServer(id: string): boolean;
  /** Notifies a client whose session an earlier process opened that its lists may have changed. */
  sessionRestored(client: Client): void;
  /** Returns the definition of a tool that the client sees under this name. */
  findTool(client: Client, name: string): Definition | undefined;
  /** Returns the status of the servers of a view; of all servers by default. */
  status(view?: GatewayView): readonly ServerStatus[];
  /** The data that the status is computed from. */
  statusSources(view?: GatewayView): StatusSources;
  /** Returns the problems of the config, and the patterns of the view that match no tool. */
  problems(view?: GatewayView): readonly ConfigProblem[];
  /** Adds the state of the HTTP front to the status for clients that see everything. */
  setHttpStatus(http: () => HttpStatus): void;
  /** Starts the servers of a view, without a client; all servers by default. */
  start(view?: GatewayView): void;
  /**
   * Starts only one server, as if a client had sent these `initialize` params. The other servers are known only from
   * the cache.
   */
  startOnly(serverId: string, initializeParams: unknown): void;
  /** Calls back once, when every server is ready or has failed, or `timeoutMs` after they were started. */
  onSettled(timeoutMs: number, callback: () => void): void;
  /** Reports each change in the condition of a server from now on. Call it after writing the summary. */
  reportChanges(): void;
  /** Returns the current config, with the problem of a failed reload. */
  config(): LoadedConfig;
  /** Applies a new config. Starts, stops or replaces only the servers that changed. */
  applyConfig(config: LoadedConfig): ConfigChange;
  /** Records why the new config cannot be loaded. The servers stay as they are. */
  reloadFailed(problem: ConfigProblem): void;
  /** Reloads the pins, because the user may have trusted quarantined tools. */
  trustChanged(): void;
  /** Decides again which servers are left out, because the stored sign-ins have changed. */
  sharingChanged(): void;
  /** Returns the tokens sent to servers, which must be masked in all output. */
  tokens(): readonly string[];
}

/** Opens one gateway for all servers of a config. */
export function openAggregateGateway(options: GatewayServersOptions): AggregateGateway {
  const { environment, settings, profile, redactor, sharing } = options;
  const transports = createTransports(environment.env, { environment, mayUseSignIn: sharing?.mayUseSignIn });
  const clients = new Set<Client>();
  const servers = new GatewayServers(options, { clients, transports });
  const { registry, views } = servers;

  const displayedProfile = () => [...clients][0]?.profile ?? profile ?? 'none';
  let http: (() => HttpStatus) | undefined;
  const processesOf = (server: GatewayServer) => servers.pool.processesOf(server);
  const sources = (view = views.everything, shownProfile = displayedProfile()): StatusSources => ({
    config: servers.visibleConfig(view),
    servers: view.servers(),
    processesOf,
    catalog: view.catalog(shownProfile),
    view,
    redactor,
  });
  const status = (view?: GatewayView) => describeServers(sources(view));

  const gateway = createGateway({
    clients,
    upstreams: () => registry.upstreams(),
    pause: () => registry.pause(),
    resume: () => registry.resume(),
    routing: createAggregateRouting({
      servers,
      clients,
      settings,
      profile,
      redact: redactor.redact,
      status: {
        json(client) {
          const view = servers.viewOf(client);
          // A limited view must not show other clients.
          const clientsOverHttp = view.isLimited ? undefined : http?.();
          return statusText(
            sources(view, client.profile),
            clientsOverHttp && { clients: clientNames([...clients]), ...clientsOverHttp },
          );
        },
        whyAbsent(client, name) {
          const view = servers.viewOf(client);
          return whyHiddenByName(name, view) ?? notReadyReason(name, view, status(view));
        },
      },
    }),
    clientLeft: (client) => servers.clientLeft(client),
    errorStyle: errorStyle(options, registry),
    whyNotCallable: (upstream, tool) => whyNotCallable(registry, upstream, tool),
    isIdempotent(upstream, name) {
      const tool = findTool(registry.find(upstream), name);
      return tool !== undefined && isSafeToRepeat(tool);
    },
  });

  return {
    ...gateway,
    hasView: (name) => views.has(name),
    openView: (selection) => views.open(selection),
    openViewAnyway: (selection) => views.openAnyway(selection),
    hasServer: (id) => registry.servers.some(({ upstream }) => upstream.id === id),
    findTool: (client, name) => servers.catalogOf(client).find('tools', name)?.definition,
    status,
    statusSources: (view) => sources(view),
    problems(view) {
      const { config, servers: all } = registry;
      if (view === undefined) return config.problems;
      return [...config.problems, ...unmatchedPatterns({ config, servers: all }, views.selectionOf(view))];
    },
    setHttpStatus(status) {
      http = status;
    },
    ...controlsOf(servers),
    config: () => registry.config,
    reloadFailed(problem) {
      registry.reloadProblem = problem;
    },
    tokens: transports.tokens,
    async close() {
      servers.beforeClose();
      await gateway.close();
      await transports.close();
      await servers.close();
    },
  };
}

function controlsOf(servers: GatewayServers) {
  const { everything } = servers.views;
  return {
    start: (view = everything) => servers.start({}, view),
    startOnly: (serverId: string, initializeParams: unknown) => servers.start(initializeParams, everything, serverId),
    onSettled: (timeoutMs: number, callback: () => void) => servers.onSettled(timeoutMs, callback),
    reportChanges: () => servers.reportChanges(),
    applyConfig: (config: LoadedConfig) => servers.applyConfig(config),
    trustChanged: () => servers.trustChanged(),
    sharingChanged: () => servers.sharingChanged(),
    sessionRestored: (client: Client) => servers.sessionRestored(client),
    finishCaching: (withinMs: number) => servers.finishCaching(withinMs),
  };
}

/** Returns why an attached client must not call a tool, by its name on the server. */
function whyNotCallable(registry: ServerRegistry, upstream: Upstream, name: string): string | undefined {
  const server = registry.find(upstream);
  if (server === undefined) return undefined;
  const tool = findTool(server, name);
  return tool === undefined ? (whyHiddenByConfig(server, name) ?? unlistedReason(server)) : whyHidden(server, tool);
}

function findTool(server: GatewayServer | undefined, name: string): Definition | undefined {
  return server?.catalog.list('tools').items.find(({ key }) => key === name);
}

function errorStyle({ settings, log }: GatewayServersOptions, registry: ServerRegistry): ErrorStyle {
  return {
    isPassthrough: settings.isErrorPassthrough,
    asToolResult: false,
    nextCommand(serverId) {
      const server = registry.config.servers.find(({ id }) => id === serverId);
      return server === undefined ? `${programName()} mcp status` : testCommand(server);
    },
    debug: settings.isDebug ? log.debug : undefined,
  };
}
