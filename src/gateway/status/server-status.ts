import type { Redactor } from '../../base/redaction/redact.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { formatLocation } from '../../config/problem.ts';
import type { ConfiguredServer, LoadedConfig } from '../../config/server-entry.ts';
import {
  type DisplayedState,
  diagnose,
  displayedState,
  plainTrustCommand,
  UNUSED_STATES,
} from '../../control/status/diagnosis.ts';
import type { HttpStatus } from '../../control/status/running-status.ts';
import { collectServerFacts, countProcesses } from '../../control/status/server-facts.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import { LIST_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { AggregateCatalog } from '../catalog/aggregate-catalog.ts';
import { type GatewayServer, toLiveServer, whyHidden } from '../servers/gateway-server.ts';
import type { GatewayView } from '../views/gateway-view.ts';

/** The status of one server, for a user or an agent. */
export interface ServerStatus {
  readonly id: string;
  readonly state: DisplayedState;
  readonly reason?: string | undefined;
  /** The command to run next. */
  readonly next?: string | undefined;
  readonly configured: string;
  readonly where?: string;
  readonly protocolVersion?: string;
  readonly restarts?: number;
  /** The number of its processes, if there are several because clients cannot share one. */
  readonly processes?: number;
  /** Messages that were dropped because they could have been for either of two clients. */
  readonly droppedMessages?: number;
  /** The number of tools that clients can see. */
  readonly tools: number;
  /** The number of tools that the config or a pin hides. */
  readonly hiddenTools: number;
  readonly prompts: number;
  readonly resources: number;
  /** Items that are not offered as the server listed them. */
  readonly changes: readonly { readonly name: string; readonly what: string }[];
  /** Tools that changed since the previous listing, newest last. */
  readonly changedTools: readonly { readonly name: string; readonly what: string }[];
  readonly quarantined: readonly { readonly name: string; readonly reason: string }[];
  readonly problems: readonly string[];
  readonly lastWords: readonly string[];
  /** A sentence about stray text on the server's stdout. */
  readonly strayOutput?: string;
}

export interface StatusSources {
  readonly config: LoadedConfig;
  readonly servers: readonly GatewayServer[];
  /** Returns all processes of a server. */
  readonly processesOf: (server: GatewayServer) => readonly Upstream[];
  readonly catalog: AggregateCatalog;
  /** The view that config, servers and catalog are limited to. */
  readonly view: Pick<GatewayView, 'showsTool'>;
  /** Masks secrets in tool names and other text from servers. */
  readonly redactor: Redactor;
}

export function describeServers({ config, servers, ...sources }: StatusSources): readonly ServerStatus[] {
  return config.servers.map((server) => {
    const gatewayServer = servers.find(({ upstream }) => upstream.id === server.id);
    return gatewayServer === undefined ? describeUnused(server) : describeUsed(server, gatewayServer, sources);
  });
}

/** Returns whether the server is ready or deliberately disabled. An untrusted server is neither. */
export function isAsConfigured({ state, next }: ServerStatus): boolean {
  return state === 'ready' || (state === 'disabled' && next?.startsWith(plainTrustCommand()) !== true);
}

/** Returns the content of the status resource. `http` describes the clients of a gateway that serves HTTP. */
export function statusText(
  sources: StatusSources,
  http?: HttpStatus & { readonly clients: readonly string[] },
): string {
  const problems = sources.config.problems.map(
    ({ file, line, message }) => `${formatLocation(file, line)}: ${message}`,
  );
  const text = JSON.stringify({ servers: describeServers(sources), problems, http }, undefined, 1);
  // Escaped line by line, because the line breaks are ours.
  return text.split('\n').map(escapeInvisible).join('\n');
}

const NOTHING = {
  ...{ tools: 0, hiddenTools: 0, prompts: 0, resources: 0 },
  ...{ changes: [], changedTools: [], quarantined: [], problems: [], lastWords: [] },
};

function describeUnused(server: ConfiguredServer): ServerStatus {
  const { id, origin, verdict } = server;
  const configured = formatLocation(origin.file, origin.line);
  return { id, state: UNUSED_STATES[verdict.kind], ...diagnose(server, undefined), configured, ...NOTHING };
}

function describeUsed(
  server: ConfiguredServer,
  gatewayServer: GatewayServer,
  { catalog, view, redactor, processesOf }: Pick<StatusSources, 'catalog' | 'view' | 'redactor' | 'processesOf'>,
): ServerStatus {
  const mask = redactor.redactTokens;
  const { id, origin } = server;
  const { upstream, catalog: upstreamCatalog, toolChanges } = gatewayServer;
  const live = toLiveServer(gatewayServer, processesOf(gatewayServer));
  const processes = countProcesses(live);
  const { droppedMessages } = upstream.history;
  const facts = collectServerFacts(server, live);
  const { where, protocolVersion, restarts, strayOutput } = facts;
  const shows = (kind: ListKind, name: string) => kind !== 'tools' || view.showsTool(id, name);
  const visibleTools = upstreamCatalog.list('tools').items.filter(({ key }) => shows('tools', key));
  const isOffered = (tool: Definition) => whyHidden(gatewayServer, tool) === undefined;
  const quarantined = LIST_KINDS.flatMap((kind) =>
    upstreamCatalog.list(kind).quarantined.filter(({ name }) => name === undefined || shows(kind, name)),
  );
  const repairs = LIST_KINDS.flatMap((kind) =>
    upstreamCatalog.list(kind).repairs.filter(({ name }) => shows(kind, name)),
  );
  return {
    id,
    state: displayedState(live),
    ...diagnose(server, live),
    configured: formatLocation(origin.file, origin.line),
    ...(where === undefined ? {} : { where }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(restarts === 0 ? {} : { restarts }),
    ...(processes === undefined ? {} : { processes }),
    ...(droppedMessages === 0 ? {} : { droppedMessages }),
    tools: visibleTools.filter(isOffered).length,
    hiddenTools: visibleTools.filter((tool) => !isOffered(tool)).length,
    prompts: facts.prompts,
    resources: facts.resources,
    changes: [
      ...catalog.remarks(gatewayServer).map(({ name, text }) => ({ name: mask(name), what: mask(text) })),
      ...repairs.map(({ name, repair }) => ({ name: mask(name), what: mask(repair) })),
    ],
    changedTools: toolChanges
      .all()
      .filter(({ name }) => shows('tools', name))
      .map(({ name, what }) => ({ name: mask(name), what: mask(what) })),
    quarantined: quarantined.map(({ name = '(no name)', reason }) => ({ name: mask(name), reason: mask(reason) })),
    problems: [...facts.problems.map(mask), ...facts.warnings],
    ...(strayOutput === undefined ? {} : { strayOutput }),
    lastWords: upstream.state.kind === 'ready' ? [] : facts.stderrTail.slice(-STDERR_TAIL_LINES),
  };
}

const STDERR_TAIL_LINES = 5;
