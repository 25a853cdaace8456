import { nextDepth } from '../config/depth.ts';
import type { LoadedConfig, ToolFilter } from '../config/server-entry.ts';
import { createCatalog } from '../upstream/catalog.ts';
import { createLauncher } from '../upstream/launcher.ts';
import type { ListKind } from '../upstream/listing.ts';
import { createTransports } from '../upstream/transports/open.ts';
import { createAggregateRouting, listChangeOf } from './aggregate.ts';
import { AggregateCatalog } from './catalog.ts';
import { createConfiguredUpstream } from './configured-upstream.ts';
import { createHub, type Gateway, type GatewayLog } from './gateway.ts';
import { mergeInstructions } from './instructions.ts';
import type { Member } from './member-view.ts';
import { plainNames, prefixedNames } from './name-table.ts';
import { mayBeNameOf } from './names.ts';
import type { GatewaySettings } from './settings.ts';
import { createSettling } from './settling.ts';
import { checkCommand, describeServers, type ServerStatus, statusText } from './status.ts';
import { statusResource } from './status-resource.ts';
import type { Trace } from './trace.ts';

export interface AggregateGatewayOptions {
  readonly config: LoadedConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly settings: GatewaySettings;
  readonly hasPrefix: boolean;
  readonly log: GatewayLog;
  /** Takes secrets out of what servers say on stderr. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Writes down what passes. */
  readonly trace?: Trace | undefined;
}

export interface AggregateGateway extends Gateway {
  status(): readonly ServerStatus[];
  /** Starts every server, without a client. */
  start(): void;
  /** Calls back once: when every server is ready or has failed, at the latest so long after they were started. */
  onSettled(timeoutMs: number, callback: () => void): void;
}

/** All servers of a config behind one gateway. */
export function openAggregateGateway(options: AggregateGatewayOptions): AggregateGateway {
  const { config, env, settings, hasPrefix, log } = options;
  const transports = createTransports(env);
  const hub = createHub(log);
  const members = createMembers(options, { hub, transports, onListed: (member, kind) => listed(member, kind) });
  const settling = createSettling(members);
  const names = hasPrefix ? prefixedNames : plainNames;
  const catalog = new AggregateCatalog({ members, names, own: { resources: [statusResource] } });
  const status = () => describeServers({ config, members, catalog });
  let whenStarted: () => void = () => {};

  const listed = (member: Member, kind: ListKind) => {
    catalog.changed(member, kind);
    for (const client of hub.clients)
      client.lists.changed(
        kind,
        () => catalog.version(kind),
        () => client.notify(listChangeOf(kind)),
      );
    settling.look();
  };

  const start = (params: unknown) => {
    hub.start(params);
    whenStarted();
    whenStarted = () => {};
  };

  const gateway = hub.open({
    upstreams: members.map(({ upstream }) => upstream),
    routing: createAggregateRouting({
      members,
      clients: hub.clients,
      catalog,
      settling,
      listTimeoutMs: settings.listTimeoutMs,
      instructions: () => mergeInstructions(members, config),
      onHello: start,
      mayOwn: hasPrefix ? mayBeNameOf : () => true,
      whyAbsent: (name) => whyAbsent(name, status()),
      status: () => statusText({ config, members, catalog }),
    }),
    errorStyle: {
      isPassthrough: settings.isErrorPassthrough,
      asToolResult: false,
      nextCommand(serverId) {
        const server = config.servers.find(({ id }) => id === serverId);
        return server === undefined ? 'switchboard gateway --check' : checkCommand(server);
      },
      debug: settings.isDebug ? log.debug : undefined,
    },
  });

  return {
    ...gateway,
    status,
    start: () => start({}),
    onSettled(timeoutMs, callback) {
      whenStarted = () => settling.whenAllListed('tools', timeoutMs, callback);
    },
    async close() {
      await gateway.close();
      await transports.close();
    },
  };
}

interface MemberParts {
  readonly hub: ReturnType<typeof createHub>;
  readonly transports: ReturnType<typeof createTransports>;
  readonly onListed: (member: Member, kind: ListKind) => void;
}

function createMembers(
  options: AggregateGatewayOptions,
  { hub, transports, onListed }: MemberParts,
): readonly Member[] {
  const { config, env, home, platform, settings, log } = options;
  const parts = {
    listener: hub.listener,
    transports,
    launcher: createLauncher(),
    hello: hub.hello,
    env,
    home,
    platform,
    depth: nextDepth(env),
    trace: options.trace,
    redact: options.redact,
    onStderrLine: settings.isDebug ? (id: string, line: string) => log.debug(`${id} stderr: ${line}`) : undefined,
  };
  return config.servers.flatMap(({ verdict }) => {
    if (verdict.kind !== 'usable') return [];
    const upstream = createConfiguredUpstream(verdict.entry, parts);
    const member: Member = {
      upstream,
      catalog: createCatalog(upstream, (kind) => onListed(member, kind)),
      whyHidden: hideBy(verdict.entry.tools),
    };
    return [member];
  });
}

function hideBy({ allow, deny }: ToolFilter): (name: string) => string | undefined {
  return (name) => {
    if (deny.includes(name)) return 'hidden: the config denies it';
    return allow === undefined || allow.includes(name) ? undefined : 'hidden: the config does not allow it';
  };
}

function whyAbsent(toolName: string, servers: readonly ServerStatus[]): string | undefined {
  const server = servers.find(({ id, state }) => state !== 'ready' && mayBeNameOf(id, toolName));
  if (server === undefined) return undefined;
  const next = server.next === undefined ? '' : ` Next: ${server.next}`;
  return `Its server ${server.id} is ${server.state}: ${server.reason ?? 'no reason is known'}.${next}`;
}
