import { VERSION } from '../base/version.ts';
import { DEPTH_VARIABLE, nextDepth } from '../config/depth.ts';
import { resolveStdio } from '../config/resolve-stdio.ts';
import type { LoadedConfig, ServerEntry, ToolFilter } from '../config/server-entry.ts';
import { createCatalog } from '../upstream/catalog.ts';
import { NEWEST_LEGACY_VERSION } from '../upstream/handshake.ts';
import { createLauncher } from '../upstream/launcher.ts';
import type { ListKind } from '../upstream/listing.ts';
import { createTransports } from '../upstream/transports/open.ts';
import { Upstream, type UpstreamListener } from '../upstream/upstream.ts';
import { isObject } from '../wire/messages.ts';
import { createAggregateRouting, listChangeOf } from './aggregate.ts';
import { AggregateCatalog, type Member } from './catalog.ts';
import type { Client } from './client.ts';
import { type Gateway, type GatewayLog, openGateway } from './gateway.ts';
import { mergeInstructions } from './instructions.ts';
import { plainNames, prefixedNames } from './name-table.ts';
import type { GatewaySettings } from './settings.ts';
import { createSettling, type Settling } from './settling.ts';
import { checkCommand, describeServers, type ServerStatus, statusText } from './status.ts';
import { statusResource } from './status-resource.ts';

export interface AggregateGatewayOptions {
  readonly config: LoadedConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly settings: GatewaySettings;
  readonly hasPrefix: boolean;
  readonly log: GatewayLog;
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
  const { config, settings, hasPrefix, log } = options;
  const depth = String(nextDepth(options.env));
  const transports = createTransports(options.env);
  const launcher = createLauncher();
  const entries = config.servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));

  const createUpstream = (entry: ServerEntry, listener: UpstreamListener, hello: () => unknown) =>
    new Upstream({
      id: entry.id,
      listener,
      launcher,
      startupTimeoutMs: entry.startupTimeoutMs,
      requestTimeoutMs: entry.requestTimeoutMs,
      initializeParams: () => introduce(hello()),
      open: transports.stdio(() => {
        const server = resolveStdio(entry, options.env, options);
        return {
          ...server,
          env: { ...server.env, [DEPTH_VARIABLE]: depth },
          onStderrLine: settings.isDebug ? (line) => log.debug(`${entry.id} stderr: ${line}`) : undefined,
        };
      }),
    });

  let members: readonly Member[] = [];
  let settling: Settling | undefined;
  let catalog: AggregateCatalog | undefined;
  let whenStarted: () => void = () => {};
  let startAll: (params: unknown) => void = () => {};
  const sources = () => ({ config, members, catalog: catalog ?? new AggregateCatalog([], plainNames, {}) });

  const gateway = openGateway({
    errorStyle: {
      isPassthrough: settings.isErrorPassthrough,
      asToolResult: false,
      nextCommand: checkCommand,
      debug: log.debug,
    },
    log,
    createUpstreams: (listener, hello) => entries.map((entry) => createUpstream(entry, listener, hello)),
    createRouting({ upstreams, clients, start }) {
      const onListed = (kind: ListKind) => {
        if (catalog?.rebuild(kind) === true) tellChanged(kind, clients);
        settling?.look();
      };
      members = upstreams.map((upstream, index) => ({
        upstream,
        catalog: createCatalog(upstream, onListed),
        whyHidden: hideBy(entries[index]?.tools),
      }));
      settling = createSettling(members);
      catalog = new AggregateCatalog(members, hasPrefix ? prefixedNames : plainNames, { resources: [statusResource] });
      startAll = (params) => {
        start(params);
        whenStarted();
        whenStarted = () => {};
      };
      return createAggregateRouting({
        members,
        clients,
        catalog,
        settling,
        listTimeoutMs: settings.listTimeoutMs,
        instructions: () => mergeInstructions(members, config),
        onHello: startAll,
        whyAbsent: (name) => whyAbsent(name, describeServers(sources())),
        status: () => statusText(sources()),
      });
    },
  });

  return {
    ...gateway,
    start: () => startAll({}),
    onSettled(timeoutMs, callback) {
      whenStarted = () => settling?.whenAllListed('tools', timeoutMs, callback);
    },
    status: () => describeServers(sources()),
    async close() {
      await gateway.close();
      await transports.close();
    },
  };
}

/** To a server we are the client; what the real client can do, we pass on. */
function introduce(hello: unknown): unknown {
  const capabilities = isObject(hello) && isObject(hello['capabilities']) ? hello['capabilities'] : {};
  return {
    protocolVersion: NEWEST_LEGACY_VERSION,
    capabilities,
    clientInfo: { name: 'switchboard', title: 'Switchboard', version: VERSION },
  };
}

function whyAbsent(toolName: string, servers: readonly ServerStatus[]): string | undefined {
  const server = servers.find(({ id, state }) => state !== 'ready' && toolName.startsWith(`${id}__`));
  if (server === undefined) return undefined;
  const next = server.next === undefined ? '' : ` Next: ${server.next}`;
  return `Its server ${server.id} is ${server.state}: ${server.reason ?? 'no reason is known'}.${next}`;
}

function hideBy(filter: ToolFilter | undefined): (name: string) => string | undefined {
  const { allow, deny = [] } = filter ?? { allow: undefined };
  return (name) => {
    if (deny.includes(name)) return 'hidden: the config denies it';
    return allow === undefined || allow.includes(name) ? undefined : 'hidden: the config does not allow it';
  };
}

function tellChanged(kind: ListKind, clients: ReadonlySet<Client>): void {
  for (const client of clients) client.listChanged(listChangeOf(kind));
}
