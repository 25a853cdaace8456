import { testCommand } from '../../config/next-command.ts';
import type { ConfigProblem, LoadedConfig } from '../../config/server-entry.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import { createTransports } from '../../upstream/transports/transports.ts';
import { mayBeNameOf, qualifyNames } from '../catalog/public-names.ts';
import { createHub, type Gateway } from '../gateway.ts';
import { createAggregateRouting } from '../routing/aggregate-routing.ts';
import type { ErrorStyle } from '../routing/error-response.ts';
import type { ConfigChange } from '../servers/apply-config.ts';
import { type Member, whyDenied, whyHidden, whyUnlisted } from '../servers/gateway-server.ts';
import { createServers, type ServersOptions } from '../servers/gateway-servers.ts';
import { followStates } from '../status/condition-reporter.ts';
import { mergeInstructions } from '../status/instructions.ts';
import { describeServers, type ServerStatus, type StatusSources, statusText } from '../status/server-status.ts';

export type AggregateGatewayOptions = ServersOptions;

export interface AggregateGateway extends Gateway {
  status(): readonly ServerStatus[];
  /** From which the status is made. */
  sources(): StatusSources;
  /** Starts every server, without a client. */
  start(): void;
  /** Starts one server and no other, as if a client had said this hello. Of the others is known what is remembered. */
  startAlone(serverId: string, hello: unknown): void;
  /** Calls back once: when every server is ready or has failed, at the latest so long after they were started. */
  onSettled(timeoutMs: number, callback: () => void): void;
  /** The summary has been written: from now on, each change in the condition of a server is reported in a line. */
  tellChanges(): void;
  /** The config is another one now: only what changed is started, stopped or replaced. */
  apply(config: LoadedConfig): ConfigChange;
  /** The config cannot be used as it is now, and this is why: the servers stay as they are. */
  keep(problems: readonly ConfigProblem[]): void;
  /** Somebody may have trusted tools that were held back. */
  trustChanged(): void;
  /** What servers are sent to prove who asks, and must be shown to nobody. */
  tokens(): readonly string[];
}

/** All servers of a config behind one gateway. */
export function openAggregateGateway(options: AggregateGatewayOptions): AggregateGateway {
  const { settings, hasPrefix, profile, redactor } = options;
  const { env, home, cwd, platform } = options;
  const transports = createTransports(env, { surroundings: { env, home, cwd, platform } });
  const hub = createHub(options.log);
  let { config } = options;
  const states = followStates({
    members: () => roster.members,
    config: () => config,
    tell: options.log.warn,
  });
  const servers = createServers(options, { hub, transports, onListed: states.look });
  const { roster, catalogs, settling } = servers;
  let whenStarted = () => {};
  let isClosing = false;

  const catalogShown = () => catalogs.of([...hub.clients][0]?.profile ?? profile ?? 'none');
  const sources = () => ({ config, members: roster.members, catalog: catalogShown(), redactor });
  const status = () => describeServers(sources());

  const start = (params: unknown, only?: string) => {
    if (!hub.start(params)) return;
    servers.start(only);
    whenStarted();
  };

  const gateway = hub.open({
    whyWithheld(upstream, name) {
      const member = roster.members.find((one) => one.upstream === upstream);
      const tool = member?.catalog.list('tools').items.find(({ key }) => key === name);
      if (member === undefined) return undefined;
      return tool === undefined ? (whyDenied(member, name) ?? whyUnlisted(member)) : whyHidden(member, tool);
    },
    upstreams: () => roster.upstreams(),
    routing: createAggregateRouting({
      roster,
      clients: hub.clients,
      catalogs,
      settling,
      settings,
      profile,
      instructions: () => mergeInstructions(roster.members, config, options),
      onHello: (params) => start(params),
      onStateChange(upstream) {
        servers.stateChanged(upstream);
        states.look(roster.find(upstream));
      },
      onListAnswered: servers.listAnswered,
      mayOwn: hasPrefix ? mayBeNameOf : () => true,
      whyAbsent: (name) => whyHeldBack(name, roster.members, hasPrefix) ?? whyAbsent(name, status()),
      status: () => statusText(sources()),
    }),
    errorStyle: errorStyle(options, () => config),
  });

  return {
    ...gateway,
    status,
    sources,
    start: () => start({}),
    startAlone: (serverId, hello) => start(hello, serverId),
    onSettled(timeoutMs, callback) {
      whenStarted = () => settling.whenAllListed('tools', timeoutMs, callback);
    },
    tellChanges: states.begin,
    apply(next) {
      // Nothing is begun any more that would have to be ended at once.
      if (isClosing) return NOTHING_CHANGED;
      config = next;
      const change = servers.apply(next);
      states.applied(change);
      return change;
    },
    keep(problems) {
      config = { ...config, problems };
    },
    trustChanged: servers.trustChanged,
    tokens: transports.tokens,
    async learn(withinMs) {
      isClosing = true;
      states.stop();
      // Without `initialize`, no client has asked for the servers.
      if (hub.isStarted()) await servers.learn(withinMs);
    },
    async close() {
      isClosing = true;
      states.stop();
      servers.closing();
      await gateway.close();
      await transports.close();
      await servers.close();
    },
  };
}

const NOTHING_CHANGED: ConfigChange = { started: [], replaced: [], adjusted: [], stopped: [] };

/** One of its server's own, which nobody is offered. */
function whyHeldBack(name: string, members: readonly Member[], hasPrefix: boolean): string | undefined {
  for (const member of members) {
    const { id } = member.upstream;
    if (hasPrefix && !mayBeNameOf(id, name)) continue;
    const { items } = member.catalog.list('tools');
    const key = hasPrefix ? rawNameOf(id, name, items) : name;
    const tool = items.find((item) => item.key === key);
    const why = tool && whyHidden(member, tool);
    if (why !== undefined) return `It is ${why}`;
  }
  return undefined;
}

/** Under whichever profile it was listed. */
function rawNameOf(serverId: string, name: string, items: readonly Definition[]): string | undefined {
  const rawNames = items.map(({ key }) => key);
  for (const { maxNameLength: maxLength } of Object.values(PROFILES)) {
    for (const [raw, shown] of qualifyNames({ serverId, rawNames, maxLength })) if (shown.name === name) return raw;
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
