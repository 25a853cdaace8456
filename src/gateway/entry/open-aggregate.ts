import { testCommand } from '../../config/next-command.ts';
import type { ConfigProblem, LoadedConfig } from '../../config/server-entry.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import { createTransports } from '../../upstream/transports/transports.ts';
import { mayBeNameOf, qualifyNames } from '../catalog/public-names.ts';
import { createGatewayCore, type Gateway } from '../gateway.ts';
import { createAggregateRouting } from '../routing/aggregate-routing.ts';
import type { ErrorStyle } from '../routing/error-response.ts';
import type { ConfigChange } from '../servers/apply-config.ts';
import { type GatewayServer, whyDenied, whyHidden, whyUnlisted } from '../servers/gateway-server.ts';
import { createGatewayServers, type GatewayServersOptions } from '../servers/gateway-servers.ts';
import { createConditionReporter } from '../status/condition-reporter.ts';
import { mergeInstructions } from '../status/instructions.ts';
import { describeServers, type ServerStatus, type StatusSources, statusText } from '../status/server-status.ts';

export type AggregateGatewayOptions = GatewayServersOptions;

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
  /** Applies a new config. Starts, stops or replaces only the servers that changed. */
  applyConfig(config: LoadedConfig): ConfigChange;
  /** Records why the new config cannot be used. The servers stay as they are. */
  setProblems(problems: readonly ConfigProblem[]): void;
  /** Reloads the pins, because the user may have trusted quarantined tools. */
  trustChanged(): void;
  /** Returns the tokens sent to servers, which must be masked in all output. */
  tokens(): readonly string[];
}

/** Opens one gateway for all servers of a config. */
export function openAggregateGateway(options: AggregateGatewayOptions): AggregateGateway {
  const { settings, hasPrefix, profile, redactor } = options;
  const { env, home, cwd, platform } = options;
  const transports = createTransports(env, { environment: { env, home, cwd, platform } });
  const core = createGatewayCore(options.log);
  let { config } = options;
  const conditions = createConditionReporter({
    servers: () => registry.servers,
    config: () => config,
    report: options.log.warn,
  });
  const servers = createGatewayServers(options, { core, transports, onListed: conditions.check });
  const { registry, catalogs, readiness } = servers;
  let whenStarted = () => {};
  let isClosing = false;

  const displayedCatalog = () => catalogs.forProfile([...core.clients][0]?.profile ?? profile ?? 'none');
  const sources = () => ({ config, servers: registry.servers, catalog: displayedCatalog(), redactor });
  const status = () => describeServers(sources());

  const start = (params: unknown, only?: string) => {
    if (!core.start(params)) return;
    servers.start(only);
    whenStarted();
  };

  const gateway = core.createGateway({
    whyWithheld(upstream, name) {
      const server = registry.servers.find((candidate) => candidate.upstream === upstream);
      const tool = server?.catalog.list('tools').items.find(({ key }) => key === name);
      if (server === undefined) return undefined;
      return tool === undefined ? (whyDenied(server, name) ?? whyUnlisted(server)) : whyHidden(server, tool);
    },
    upstreams: () => registry.upstreams(),
    routing: createAggregateRouting({
      registry,
      clients: core.clients,
      catalogs,
      readiness,
      settings,
      profile,
      instructions: () => mergeInstructions(registry.servers, config, options),
      onInitialize: (params) => start(params),
      onStateChange(upstream) {
        servers.stateChanged(upstream);
        conditions.check(registry.find(upstream));
      },
      onListAnswered: servers.listAnswered,
      mayOwn: hasPrefix ? mayBeNameOf : () => true,
      whyAbsent: (name) => whyHeldBack(name, registry.servers, hasPrefix) ?? whyAbsent(name, status()),
      statusJson: () => statusText(sources()),
    }),
    errorStyle: errorStyle(options, () => config),
  });

  return {
    ...gateway,
    status,
    statusSources: sources,
    start: () => start({}),
    startOnly: (serverId, initializeParams) => start(initializeParams, serverId),
    onSettled(timeoutMs, callback) {
      whenStarted = () => readiness.whenAllListed('tools', timeoutMs, callback);
    },
    reportChanges: conditions.start,
    applyConfig(next) {
      // A server started now would have to be stopped again immediately.
      if (isClosing) return NOTHING_CHANGED;
      config = next;
      const change = servers.applyConfig(next);
      conditions.configApplied(change);
      return change;
    },
    setProblems(problems) {
      config = { ...config, problems };
    },
    trustChanged: servers.trustChanged,
    tokens: transports.tokens,
    async finishCaching(withinMs) {
      isClosing = true;
      conditions.stop();
      // Without `initialize`, no client has asked for the servers.
      if (core.isStarted()) await servers.finishCaching(withinMs);
    },
    async close() {
      isClosing = true;
      conditions.stop();
      servers.beforeClose();
      await gateway.close();
      await transports.close();
      await servers.close();
    },
  };
}

const NOTHING_CHANGED: ConfigChange = { started: [], replaced: [], adjusted: [], stopped: [] };

/** Returns why a tool that its server lists is hidden from clients. */
function whyHeldBack(name: string, servers: readonly GatewayServer[], hasPrefix: boolean): string | undefined {
  for (const server of servers) {
    const { id } = server.upstream;
    if (hasPrefix && !mayBeNameOf(id, name)) continue;
    const { items } = server.catalog.list('tools');
    const key = hasPrefix ? rawNameOf(id, name, items) : name;
    const tool = items.find((item) => item.key === key);
    const why = tool && whyHidden(server, tool);
    if (why !== undefined) return `It is ${why}`;
  }
  return undefined;
}

/** Returns the raw name of a public name under any profile. */
function rawNameOf(serverId: string, name: string, items: readonly Definition[]): string | undefined {
  const rawNames = items.map(({ key }) => key);
  for (const { maxNameLength: maxLength } of Object.values(PROFILES)) {
    for (const [raw, publicName] of qualifyNames({ serverId, rawNames, maxLength }))
      if (publicName.name === name) return raw;
  }
  return undefined;
}

function whyAbsent(toolName: string, servers: readonly ServerStatus[]): string | undefined {
  const server = servers.find(({ id, state }) => state !== 'ready' && mayBeNameOf(id, toolName));
  if (server === undefined) return undefined;
  const next = server.next === undefined ? '' : ` Next: ${server.next}`;
  return `Its server ${server.id} is ${server.state}: ${server.reason ?? 'no reason is known'}.${next}`;
}

function errorStyle({ settings, log }: AggregateGatewayOptions, config: () => LoadedConfig): ErrorStyle {
  return {
    isPassthrough: settings.isErrorPassthrough,
    asToolResult: false,
    nextCommand(serverId) {
      const server = config().servers.find(({ id }) => id === serverId);
      return server === undefined ? 'switchboard mcp status' : testCommand(server);
    },
    debug: settings.isDebug ? log.debug : undefined,
  };
}
