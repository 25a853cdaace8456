import type { ConfiguredServer, ServerEntry } from '../../config/server-entry.ts';
import { findHidingSetting } from '../../config/tool-filter.ts';
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
  /** Why a tool is held back although the config offers it; undefined when it is not. */
  readonly whyHeld: (tool: Definition) => string | undefined;
  /** The same for the same server, from run to run. */
  readonly identity: string;
  /** By the clock of the process. */
  readonly startedAt: number;
  /** The tool of this name as it is now; undefined when there is none, or the config hides it. */
  findTool(name: string): Definition | undefined;
}

/** Its tools without those that the config hides or that nobody has trusted. */
export function offeredTools({ catalog, entry, whyHeld }: HostServer): readonly Definition[] {
  const isOffered = (tool: Definition) =>
    findHidingSetting(entry.tools, tool.key) === undefined && whyHeld(tool) === undefined;
  return catalog.list('tools').items.filter(isOffered);
}

/** Finds tools by name as their server lists them now, without those that the config hides. Asked for every call. */
export function createToolIndex(
  catalog: UpstreamCatalog,
  { tools }: ServerEntry,
  whyHeld: HostServer['whyHeld'],
): HostServer['findTool'] {
  let list: DefinitionList | undefined;
  let byName: ReadonlyMap<string, Definition> = new Map();
  return (name) => {
    if (findHidingSetting(tools, name) !== undefined) return undefined;
    const now = catalog.list('tools');
    if (now !== list) byName = new Map(now.items.map((tool) => [tool.key, tool]));
    list = now;
    const found = byName.get(name);
    return found === undefined || whyHeld(found) !== undefined ? undefined : found;
  };
}

/** It has said what it offers now, or nothing can be known for the moment. */
export function isServerSettled({ upstream, catalog, startedAt }: HostServer, kind: ListKind): boolean {
  switch (upstream.state.kind) {
    case 'ready':
      return catalog.isFresh(kind);
    // Whoever has waited for it once need not wait at every run.
    case 'connecting':
      return upstream.history.lastConnectedAt === undefined && performance.now() - startedAt > FIRST_START_TIMEOUT_MS;
    case 'idle':
      return false;
    // One that fell for the first time is started again at once.
    case 'error':
      return upstream.state.error.code === 'SPAWN_FAILED' || upstream.restarts > 1;
    case 'auth_required':
    case 'disabled':
      return true;
  }
}

/** For a server that was never ready, from its start. */
const FIRST_START_TIMEOUT_MS = 10_000;
