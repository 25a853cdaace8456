import { nearestNames } from '../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { ConfigFile } from '../files/config-file.ts';
import { pick } from '../json/decode.ts';
import { elementsOf, formatJsonPath, type JsonValue, lineOf } from '../json/json-value.ts';
import { trustCommand } from '../merge-files.ts';
import type { ConfigProblem } from '../server-entry.ts';
import { didYouMean } from '../unknown-server.ts';
import type { FileView } from './read-views.ts';
import { type ConfiguredView, type ConfiguredViews, mayMatchServer, type ViewVerdict } from './view.ts';

export interface MergeViewsOptions {
  readonly isTrusted: (file: ConfigFile, view: FileView) => boolean;
  /** The ids of all configured servers. Undefined if some are unknown, because a file cannot be read. */
  readonly serverIds: readonly string[] | undefined;
}

/**
 * Merges the views of files, given in order of precedence. If several files define a view, all of them limit it: a
 * project can narrow a view of the user, but never widen it. An untrusted view has no effect.
 */
export function mergeViews(
  files: readonly ConfigFile[],
  { isTrusted, serverIds }: MergeViewsOptions,
): ConfiguredViews['named'] {
  const byName = new Map<string, Candidate[]>();
  for (const file of files) {
    for (const view of file.views) {
      const candidate = { view, isTrusted: isTrusted(file, view) };
      byName.set(view.name, [...(byName.get(view.name) ?? []), candidate]);
    }
  }
  return new Map(
    [...byName].flatMap(([name, candidates]) => {
      const view = toConfiguredView(name, candidates, serverIds);
      return view === undefined ? [] : [[name, view] as const];
    }),
  );
}

interface Candidate {
  readonly view: FileView;
  readonly isTrusted: boolean;
}

function toConfiguredView(
  name: string,
  candidates: readonly Candidate[],
  serverIds: readonly string[] | undefined,
): ConfiguredView | undefined {
  const trusted = candidates.filter(({ isTrusted }) => isTrusted).map(({ view }) => view);
  const untrusted = candidates.filter(({ isTrusted }) => !isTrusted).map(({ view }) => untrustedProblem(view));
  const [first] = trusted.length > 0 ? trusted : candidates.map(({ view }) => view);
  if (first === undefined) return undefined;
  return {
    name,
    origin: first.origin,
    verdict: toVerdict(trusted, untrusted),
    problems: [...trusted.flatMap((view) => problemsOf(view, serverIds)), ...untrusted],
  };
}

/** A definition that cannot be understood may be meant to hide something, so the whole view is unusable. */
function toVerdict(trusted: readonly FileView[], [untrusted]: readonly ConfigProblem[]): ViewVerdict {
  if (trusted.length === 0 && untrusted !== undefined) return { kind: 'untrusted', problem: untrusted };
  const broken = trusted.flatMap(({ content }) => (content.kind === 'broken' ? [content.problem] : []))[0];
  if (broken !== undefined) return { kind: 'broken', problem: broken };
  return { kind: 'usable', limits: trusted.flatMap(({ content }) => (content.kind === 'limit' ? content.limit : [])) };
}

function untrustedProblem({ name, origin, content }: FileView): ConfigProblem {
  if (content.kind === 'broken') return content.problem;
  const { file, line } = origin;
  const message = `The view "${name}" is untrusted and has no effect. To trust it, run ${trustCommand(origin)}`;
  return { file, line, message };
}

function problemsOf({ content, value }: FileView, serverIds: readonly string[] | undefined): readonly ConfigProblem[] {
  if (content.kind === 'broken') return [content.problem];
  if (serverIds === undefined) return [];
  const tools = pick(value, 'tools');
  return [
    ...unknownServers(pick(value, 'servers'), serverIds),
    ...unmatchedPatterns(tools && pick(tools, 'allow'), serverIds),
    ...unmatchedPatterns(tools && pick(tools, 'deny'), serverIds),
  ];
}

function unknownServers(list: JsonValue | undefined, serverIds: readonly string[]): readonly ConfigProblem[] {
  return namesIn(list)
    .filter(({ name }) => !serverIds.includes(name))
    .map(({ name, element }) =>
      problemAt(element, `there is no server ${quoteIfNeeded(name)}.${didYouMean(nearestNames(name, serverIds))}`),
    );
}

/** Reports patterns that match no tool, whatever tools the servers have. */
function unmatchedPatterns(list: JsonValue | undefined, serverIds: readonly string[]): readonly ConfigProblem[] {
  return namesIn(list)
    .filter(({ name }) => !serverIds.some((id) => mayMatchServer(name, id)))
    .map(({ name, element }) =>
      problemAt(
        element,
        `no server has a tool that matches ${quoteIfNeeded(name)}. Patterns have the form server.tool.`,
      ),
    );
}

function namesIn(list: JsonValue | undefined): readonly { readonly name: string; readonly element: JsonValue }[] {
  const elements = list === undefined ? [] : elementsOf(list);
  return elements.map((element) => ({ name: String(element.content), element }));
}

function problemAt(element: JsonValue, message: string): ConfigProblem {
  return { file: element.text.file, line: lineOf(element), message: `${formatJsonPath(element)}: ${message}` };
}
