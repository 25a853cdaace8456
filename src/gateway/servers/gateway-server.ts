import type { ServerEntry } from '../../config/server-entry.ts';
import { toolHiddenReason } from '../../config/tool-filter.ts';
import type { LiveServer } from '../../control/status/diagnosis.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import type { UpstreamCatalog } from '../../upstream/catalog/catalog.ts';
import type { Pin } from '../../upstream/catalog/pin.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { ToolChanges } from '../catalog/tool-changes.ts';
import type { Occupant } from './occupants.ts';

/** One server behind the gateway: its connection, its catalog and its config entry. */
export interface GatewayServer {
  /** The shared process. It lists the tools for all clients. */
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
  /** The current config entry. Changes that affect the process create a new `GatewayServer` instead. */
  entry: ServerEntry;
  readonly toolChanges: ToolChanges;
  readonly pin: Pin;
  /** Whether a client that sees the server has connected. Until then it stays idle, and nothing is read for it. */
  isWanted: boolean;
  /**
   * Whether its cached catalog is the one for clients without capabilities. The server may list more to the current
   * client.
   */
  hasFallbackCatalog: boolean;
  /** Whether it has interfaces of apps. */
  hasUi: boolean;
  /** Whether each client gets its own process. Set by the pool, like all members below. */
  isPerClient: boolean;
  /** The occupant of the shared process, if `isPerClient`. */
  owner: Occupant | undefined;
  /** Whether the shared process has had an occupant that has left. */
  wasUsed: boolean;
  /** Whether the server asks its client by elicitation or sampling without naming a call. Known from the cache. */
  asksClients: boolean;
}

/** Returns the server as the status model sees it. */
export function toLiveServer(server: GatewayServer, processes: readonly Upstream[]): LiveServer {
  const { upstream, catalog } = server;
  return { upstream, catalog, processes, isOffered: (tool) => whyHidden(server, tool) === undefined };
}

/** Returns why a tool is hidden from all clients, or undefined if it is offered. */
export function whyHidden(server: GatewayServer, tool: Definition): string | undefined {
  return whyHiddenByConfig(server, tool.key) ?? (server.entry.pin ? server.pin.whyQuarantined(tool) : undefined);
}

/** Returns why the config hides a tool, whether or not the server lists it. */
export function whyHiddenByConfig({ entry }: GatewayServer, tool: string): string | undefined {
  const why = toolHiddenReason(entry.tools, tool);
  return why === undefined ? undefined : `hidden: ${why}`;
}

/** Returns why a tool that the server does not list cannot be called: on a pinned server it was never trusted. */
export function unlistedReason({ entry, pin }: GatewayServer): string | undefined {
  return entry.pin && pin.isPinned() ? 'quarantined: its server does not list it' : undefined;
}
