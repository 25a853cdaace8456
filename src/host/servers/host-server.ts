import type { ConfiguredServer, ServerEntry } from '../../config/server-entry.ts';
import { isToolEnabled } from '../../config/tool-filter.ts';
import type { LiveServer } from '../../control/status/diagnosis.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import type { DefinitionList } from '../../schema/definitions/definition-list.ts';
import type { UpstreamCatalog } from '../../upstream/catalog/catalog.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** One server that the host uses. */
export interface HostServer {
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
  readonly entry: ServerEntry;
  readonly configured: ConfiguredServer;
  /** Returns why a tool is held back although the config offers it; undefined when it is not held back. */
  readonly whyQuarantined: (tool: Definition) => string | undefined;
  /** Changes when other tools of the same list are held back. */
  readonly quarantineRevision: () => number;
  /** Stable for the same server across runs. */
  readonly identity: string;
  /** As `performance.now()`. */
  readonly startedAt: number;
  /** Returns the current tool of this name; undefined when none exists, the config hides it, or it is held back. */
  findTool(name: string): Definition | undefined;
}

/** Lists the tools of a server without those that the config hides or that still need trust. */
export function offeredTools(server: HostServer): readonly Definition[] {
  return server.catalog.list('tools').items.filter((tool) => isOffered(server, tool));
}

/** Returns the server as the status model sees it. */
export function toLiveServer(server: HostServer): LiveServer {
  const { upstream, catalog } = server;
  return { upstream, catalog, isOffered: (tool) => isOffered(server, tool) };
}

function isOffered({ entry, whyQuarantined }: HostServer, tool: Definition): boolean {
  return isToolEnabled(entry.tools, tool.key) && whyQuarantined(tool) === undefined;
}

/**
 * Finds current tools by name, without those that the config hides or that are held back. Every call uses this index.
 */
export function createToolIndex(
  catalog: UpstreamCatalog,
  { tools }: ServerEntry,
  whyQuarantined: HostServer['whyQuarantined'],
): HostServer['findTool'] {
  let list: DefinitionList | undefined;
  let byName: ReadonlyMap<string, Definition> = new Map();
  return (name) => {
    if (!isToolEnabled(tools, name)) return undefined;
    const now = catalog.list('tools');
    if (now !== list) byName = new Map(now.items.map((tool) => [tool.key, tool]));
    list = now;
    const found = byName.get(name);
    return found === undefined || whyQuarantined(found) !== undefined ? undefined : found;
  };
}

/** Whether the server's list is current, or waiting for it is pointless for now. */
export function isServerSettled({ upstream, catalog, startedAt }: HostServer, kind: ListKind): boolean {
  switch (upstream.state.kind) {
    case 'ready':
      return catalog.isFresh(kind);
    // After a first start has timed out once, later calls do not wait again.
    case 'connecting':
      return upstream.history.lastConnectedAt === undefined && performance.now() - startedAt > FIRST_START_TIMEOUT_MS;
    case 'idle':
      return false;
    // After the first crash the server restarts immediately.
    case 'error':
      return upstream.state.error.code === 'SPAWN_FAILED' || upstream.restarts > 1;
    case 'auth_required':
      return true;
  }
}

/** Measured from the start, for a server that was never ready. */
const FIRST_START_TIMEOUT_MS = 10_000;
