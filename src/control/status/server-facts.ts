import { entryWarnings } from '../../config/entry/entry-warnings.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import { LIST_KINDS } from '../../upstream/catalog/listing.ts';
import { isStartingOrReady } from '../../upstream/state.ts';
import type { LiveServer } from './diagnosis.ts';

/** What is known about a server in use, before it is masked and shortened for a reader. */
export interface ServerFacts {
  /** A pid or a URL. */
  readonly where: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly restarts: number;
  readonly prompts: number;
  readonly resources: number;
  /** Definitions that are offered to no client. */
  readonly quarantined: readonly { readonly name: string; readonly reason: string }[];
  /** Why lists are missing or incomplete. */
  readonly problems: readonly string[];
  /** Warnings about the config entry. */
  readonly warnings: readonly string[];
  /** A sentence about stray text on the server's stdout. */
  readonly strayOutput: string | undefined;
  readonly stderrTail: readonly string[];
}

export function collectServerFacts(server: ConfiguredServer, { upstream, catalog }: LiveServer): ServerFacts {
  const lists = LIST_KINDS.map((kind) => catalog.list(kind));
  return {
    where: upstream.where,
    protocolVersion: upstream.initializeResult?.protocolVersion,
    restarts: upstream.restarts,
    prompts: catalog.list('prompts').items.length,
    resources: catalog.list('resources').items.length,
    quarantined: lists.flatMap(({ quarantined }) =>
      quarantined.map(({ name = '(no name)', reason }) => ({ name, reason })),
    ),
    problems: catalog.problems(),
    warnings: warningsOf(server, catalog),
    strayOutput: upstream.strayOutput(),
    stderrTail: upstream.stderrTail(),
  };
}

function warningsOf({ verdict }: ConfiguredServer, catalog: LiveServer['catalog']): readonly string[] {
  if (verdict.kind !== 'usable') return [];
  // A stale list does not prove that a name matches no tool.
  const tools = catalog.isFresh('tools') ? catalog.list('tools').items.map(({ key }) => key) : undefined;
  return entryWarnings(verdict.entry, tools);
}

/** Returns the number of processes that are running or starting, if there are several. */
export function countProcesses({ processes = [] }: LiveServer): number | undefined {
  const running = processes.filter(({ state }) => isStartingOrReady(state)).length;
  return running > 1 ? running : undefined;
}

export interface ToolCounts {
  /** The number of tools that clients can see. */
  readonly tools: number;
  /** The number of tools that the config or a pin hides. */
  readonly hiddenTools: number;
}

export function countTools({ catalog, isOffered }: LiveServer): ToolCounts {
  const { items } = catalog.list('tools');
  const tools = isOffered === undefined ? items.length : items.filter(isOffered).length;
  return { tools, hiddenTools: items.length - tools };
}
