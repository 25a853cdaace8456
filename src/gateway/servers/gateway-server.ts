import type { ServerEntry } from '../../config/server-entry.ts';
import { findHidingSetting } from '../../config/tool-filter.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import type { UpstreamCatalog } from '../../upstream/catalog/catalog.ts';
import type { Pin } from '../../upstream/catalog/pin.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { ToolChanges } from '../catalog/tool-changes.ts';

/** One server behind the gateway: its connection, what it offers, and what the config says of it. */
export interface GatewayServer {
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
  /** As the config has it now. What the process itself depends on never changes: for that there is another member. */
  entry: ServerEntry;
  readonly toolChanges: ToolChanges;
  readonly pin: Pin;
}

/** Why a tool is not offered to anybody; undefined when it is. */
export function whyHidden(server: GatewayServer, tool: Definition): string | undefined {
  return whyDenied(server, tool.key) ?? (server.entry.pin ? server.pin.whyQuarantined(tool) : undefined);
}

/** The same by the config alone, whatever the server lists. */
export function whyDenied({ entry }: GatewayServer, tool: string): string | undefined {
  const setting = findHidingSetting(entry.tools, tool);
  if (setting === undefined) return undefined;
  return setting === 'disabled_tools' ? 'hidden: the config denies it' : 'hidden: the config does not allow it';
}

/** Why a tool that the server does not list cannot be called: of a pinned server, it was never trusted. */
export function whyUnlisted({ entry, pin }: GatewayServer): string | undefined {
  return entry.pin && pin.isPinned() ? 'quarantined: its server does not list it' : undefined;
}
