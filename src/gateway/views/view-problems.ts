import { createGlob } from '../../base/text/glob.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { ConfigProblem, LoadedConfig } from '../../config/server-entry.ts';
import type { ViewSelection } from '../../config/views/select-view.ts';
import { type ConfiguredView, mayMatchServer, type ViewLimit } from '../../config/views/view.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';

/** The state that problems are derived from. */
export interface ProblemSources {
  readonly config: LoadedConfig;
  readonly servers: readonly GatewayServer[];
}

/**
 * Returns the problems that clients of a limited view may know: those of whole files and of the view itself. Other
 * problems name servers and views that these clients do not see.
 */
export function problemsForClients(
  { config, servers }: ProblemSources,
  selection: ViewSelection,
): readonly ConfigProblem[] {
  const broken = new Set(config.files.filter(({ state }) => state === 'broken').map(({ file }) => file));
  const view = selectedView(config, selection);
  return [
    ...config.problems.filter(({ file }) => broken.has(file)),
    ...(view?.problems ?? []),
    ...unmatchedPatterns({ config, servers }, selection),
  ];
}

/** Returns the patterns of a view that match none of the tools that the servers list. */
export function unmatchedPatterns(
  { config, servers }: ProblemSources,
  selection: ViewSelection,
): readonly ConfigProblem[] {
  const view = selectedView(config, selection);
  if (view?.verdict.kind !== 'usable') return [];
  const { file, line } = view.origin;
  return view.verdict.limits
    .flatMap(patternsOf)
    .filter(({ pattern }) => matchesNothing(pattern, { config, servers }))
    .map(({ list, pattern }) => {
      const message = `views.${view.name}.tools.${list}: no tool matches ${quoteIfNeeded(pattern)}.`;
      return { file, line, message };
    });
}

function selectedView({ views }: LoadedConfig, { view }: ViewSelection): ConfiguredView | undefined {
  return view === undefined ? undefined : views?.named.get(view);
}

function patternsOf({ tools: { allow = [], deny } }: ViewLimit) {
  return [
    ...allow.map((pattern) => ({ list: 'allow', pattern })),
    ...deny.map((pattern) => ({ list: 'deny', pattern })),
  ];
}

/** An old, missing or incomplete list proves nothing. Patterns that fit no server are reported with the config. */
function matchesNothing(pattern: string, { config, servers }: ProblemSources): boolean {
  const candidates = config.servers.filter(({ id }) => mayMatchServer(pattern, id));
  const matches = createGlob(pattern);
  return (
    candidates.length > 0 &&
    candidates.every(({ id }) => {
      const catalog = servers.find(({ upstream }) => upstream.id === id)?.catalog;
      if (catalog?.isFresh('tools') !== true || catalog.problem('tools') !== undefined) return false;
      return !catalog.list('tools').items.some(({ key }) => matches(`${id}.${key}`));
    })
  );
}
