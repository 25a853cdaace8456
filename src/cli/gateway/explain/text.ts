import { displayWidth, padToWidth } from '../../../base/text/display-width.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ExplainedTool, ExplainedTools, ListedWhen } from '../../../gateway/status/explain-tools.ts';
import type { Rewrite } from '../../../schema/profiles/profile.ts';
import { formatJson } from '../../terminal/format-json.ts';
import type { Explanation } from './explain.ts';

/** Formats for a person: the server's state, then the origin of its settings, then its tools or the one tool. */
export function toText(explanation: Explanation): string {
  const { subject, tools } = explanation;
  const aboutTools =
    tools === undefined ? [] : subject.tool === undefined ? allTools(tools) : oneTool(tools, subject.tool);
  return [...aboutServer(explanation), '', ...aboutConfig(explanation), ...aboutTools].join('\n');
}

function aboutServer({ status, profile, isDefaultProfile }: Explanation): string[] {
  const { id, state, protocolVersion, reason, lastWords, strayOutput, problems, changedTools, next } = status;
  const when = state === 'ready' || state === 'degraded' ? '' : ' when it was last seen';
  const protocol = protocolVersion === undefined ? '' : `, protocol ${line(protocolVersion)}${when}`;
  const usual = isDefaultProfile
    ? 'for current Codex versions; for others, use --profile none|codex|codex-legacy'
    : '--profile';
  return [
    `${line(id)}: ${state}${protocol}`,
    ...(reason === undefined ? [] : [`  ${line(reason)}`]),
    ...lastWords.map((words) => `  stderr: ${line(words)}`),
    ...(strayOutput === undefined || reason?.includes(strayOutput) ? [] : [`  ${line(strayOutput)}`]),
    ...(state === 'degraded' ? [] : problems.map((problem) => `  ${line(problem)}`)),
    ...changedTools.map(({ name, what }) => `  since it was last seen: ${line(name)}: ${line(what)}`),
    ...(next === undefined ? [] : [`  next: ${line(next)}`]),
    `  profile ${profile} (${usual})`,
  ];
}

function aboutConfig({ subject, entry, problems }: Explanation): string[] {
  const { file, line: at, layer } = subject.server.origin;
  const { values = [], defaults = [], overridden = [] } = entry ?? {};
  const rows = [
    ...values.map((value) => [value.key, value.shown, `${formatLocation(value.file, value.line)} (${value.layer})`]),
    ...defaults.map(({ key, shown }) => [key, shown, '(default)']),
  ];
  return [
    `config: ${formatLocation(file, at)} (${layer})`,
    ...inColumns(rows),
    ...overridden.map(
      (other) => `  no effect: ${formatLocation(other.file, other.line)} (${other.layer}): ${line(other.why)}`,
    ),
    ...problems.map((problem) => `  ${formatLocation(problem.file, problem.line)}: ${line(problem.message)}`),
  ];
}

function allTools(explained: ExplainedTools): string[] {
  const { tools, leftOut, listed } = explained;
  const shown = tools.filter(({ hidden }) => hidden === undefined);
  const rows = [
    ...tools.map((tool) => [label(tool.name), line(tool.hidden ?? `-> ${tool.publicName}`), summary(tool)]),
    ...leftOut.map(({ name, reason }) => [label(name ?? '(no name)'), `left out: ${line(reason)}`, '']),
  ];
  const changed = tools.filter(({ rewrites, repairs }) => rewrites.length + repairs.length > 0);
  return [
    '',
    `tools: ${shown.length} of ${tools.length + leftOut.length}${LISTED_NOTE[listed]}`,
    ...unlistedServersNote(explained),
    ...inColumns(rows),
    ...changed.flatMap((tool) => ['', `${label(tool.name)}:`, ...changeLines(tool)]),
    ...narrowingNote(changed),
  ];
}

function oneTool(explained: ExplainedTools, wanted: string): string[] {
  const { tools, leftOut, listed } = explained;
  const [tool] = tools;
  if (tool === undefined) {
    const reasons = leftOut.map(({ reason }) => `left out: ${line(reason)}`);
    const unknown = ['unknown: the server has not listed its tools'];
    return ['', `tool ${line(wanted)}:`, ...(reasons.length > 0 ? reasons : unknown).map((text) => `  ${text}`)];
  }
  const { name, publicName, whyNamedSo, hidden, rewrites, before, after } = tool;
  return [
    '',
    `tool ${line(name)}${LISTED_NOTE[listed]}`,
    `  ${hidden === undefined ? 'listed' : 'would be listed'} as ${line(publicName)}`,
    ...(whyNamedSo === undefined ? [] : [`  named so: ${line(whyNamedSo)}`]),
    ...(hidden === undefined ? [] : [`  ${line(hidden)}`]),
    ...unlistedServersNote(explained),
    ...changeLines(tool),
    ...narrowingNote([tool]),
    '',
    'schema before:',
    formatJson(before, '  '),
    '',
    rewrites.length === 0 ? 'schema after: unchanged' : 'schema after:',
    ...(rewrites.length === 0 ? [] : [formatJson(after, '  ')]),
  ];
}

const LISTED_NOTE: Readonly<Record<ListedWhen, string>> = {
  now: '',
  partly: ' (its list has a problem, see above; some tools may be from an earlier run)',
  earlier: ' (from an earlier run: the server did not list them this time)',
  never: ' (unknown: the server has never listed them)',
};

function summary({ whyNamedSo, hidden, rewrites, repairs }: ExplainedTool): string {
  const counts = [
    rewrites.length === 0 ? 'unchanged' : counted(rewrites.length, 'rewrite'),
    ...(repairs.length === 0 ? [] : [counted(repairs.length, 'repair')]),
    ...(whyNamedSo === undefined || hidden !== undefined ? [] : [`named so: ${line(whyNamedSo)}`]),
  ];
  return counts.join(', ');
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function changeLines({ repairs, rewrites }: ExplainedTool): string[] {
  return [...repairs.map((repair) => `  repaired: ${line(repair)}`), ...rewrites.map(rewriteLine)];
}

function rewriteLine({ path, what, why, isNarrowing }: Rewrite): string {
  return `  ${line(path === '' ? 'top' : path)}: ${line(what)} (${line(why)})${isNarrowing ? ' [narrows]' : ''}`;
}

function narrowingNote(tools: readonly ExplainedTool[]): string[] {
  const isNarrower = tools.some(({ rewrites }) => rewrites.some(({ isNarrowing }) => isNarrowing));
  return isNarrower ? ['', '[narrows]: the server accepts more than the schema that clients see.'] : [];
}

function unlistedServersNote({ unlistedServers }: ExplainedTools): string[] {
  if (unlistedServers.length === 0) return [];
  const names = unlistedServers.map((id) => line(id)).join(', ');
  return [`  the tools of ${names} are unknown; if two tools have the same name, the first server's is listed`];
}

/** Aligns columns to their widest cell, ignoring very long ones. */
function inColumns(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (column: number) =>
    Math.max(0, ...rows.map((row) => displayWidth(row[column] ?? '')).filter((width) => width <= MAX_COLUMN));
  const widths = [widthOf(0), widthOf(1)];
  return rows.map((row) =>
    `  ${row.map((cell, column) => padToWidth(cell, widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}

const MAX_COLUMN = 60;

function label(name: string): string {
  return oneLine(name, MAX_COLUMN);
}

/** Puts text of a server or a file on one line. */
function line(text: string): string {
  return oneLine(text, MAX_LINE_LENGTH);
}

const MAX_LINE_LENGTH = 300;
