import { programName } from '../../base/program-name.ts';
import { testCommand } from '../../config/next-command.ts';
import type { ConfigProblem, LoadedConfig } from '../../config/server-entry.ts';
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
import { describeServers, type ServerStatus, type StatusSources, statusText } from '../status/server-status.ts';
import { notReadyReason, whyHiddenByName } from '../status/why-absent.ts';

export interface AggregateGateway extends Gateway {
  status(): readonly ServerStatus[];
  /** The data that the status is computed from. */
  statusSources(): StatusSources;
  /** Starts every server, without a client. */
  start(): void;
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
  /** Returns the tokens sent to servers, which must be masked in all output. */
  tokens(): readonly string[];
}

/** Opens one gateway for all servers of a config. */
export function openAggregateGateway(options: GatewayServersOptions): AggregateGateway {
  const { environment, settings, hasPrefix, profile, redactor } = options;
  const transports = createTransports(environment.env, { environment });
  const clients = new Set<Client>();
  const servers = new GatewayServers(options, { clients, transports });
  const { registry, catalogs } = servers;

  const displayedCatalog = () => catalogs.forProfile([...clients][0]?.profile ?? profile ?? 'none');
  const sources = () => {
    const { config, servers: gatewayServers } = registry;
    const { pool } = servers;
    const processesOf = (server: GatewayServer) => pool.processesOf(server);
    return { config, servers: gatewayServers, processesOf, catalog: displayedCatalog(), redactor };
  };
  const status = () => describeServers(sources());

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
      status: {
        json: () => statusText(sources()),
        whyAbsent: (name) => whyHiddenByName(name, registry.servers, hasPrefix) ?? notReadyReason(name, status()),
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
    status,
    statusSources: sources,
    start: () => servers.start({}),
    startOnly: (serverId, initializeParams) => servers.start(initializeParams, serverId),
    onSettled: (timeoutMs, callback) => servers.onSettled(timeoutMs, callback),
    reportChanges: () => servers.reportChanges(),
    config: () => registry.config,
    applyConfig: (config) => servers.applyConfig(config),
    reloadFailed(problem) {
      registry.reloadProblem = problem;
    },
    trustChanged: () => servers.trustChanged(),
    tokens: transports.tokens,
    finishCaching: (withinMs) => servers.finishCaching(withinMs),
    async close() {
      servers.beforeClose();
      await gateway.close();
      await transports.close();
      await servers.close();
    },
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
