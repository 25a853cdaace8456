import { displayWidth, padToWidth } from '../../../base/text/display-width.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { RunningStatus, ServerDetail, ToolSummary } from '../../../control/status/running-status.ts';
import { formatCallTime, formatTimestamp } from '../../terminal/time.ts';
import { wrapHanging } from '../../terminal/wrap.ts';
import { headline } from './headline.ts';
import { type LabeledLine, type SignIn, signInLines } from './sign-in.ts';

/** One server of a running instance, with all its details. */
export interface DetailOfRunning {
  readonly status: RunningStatus;
  readonly server: ServerDetail;
  readonly signIn: SignIn | undefined;
}

/** Formats the details. `width` is that of the terminal; wraps longer text. */
export function detailLines(
  { status, server, signIn }: DetailOfRunning,
  { width, now }: { readonly width: number | undefined; readonly now: number },
): readonly string[] {
  return [
    `${quoteIfNeeded(server.id)} · ${headline(status, now)}`,
    ...labeledLines(
      [
        ...stateLines(server),
        ...configLines(server),
        ...connectionLines(server),
        ...(signIn === undefined ? [] : signInLines(signIn, now)),
        ...historyLines(server, now),
      ],
      width,
    ),
    ...section(
      'last stderr lines',
      server.lastWords.flatMap((line) => wrapHanging(oneLine(line), { width, indent: '  ' })),
    ),
    ...section('tools', server.toolList.flatMap(toolLines)),
    ...section(
      'left out',
      server.leftOut.map(({ name, reason }) => `${quoteIfNeeded(name)}: ${oneLine(reason)}`),
    ),
    ...section(
      'remarks',
      server.remarks.map((remark) => oneLine(remark)),
    ),
  ];
}

/** Aligns the texts of all lines in the same column. */
export function labeledLines(lines: readonly LabeledLine[], width: number | undefined): readonly string[] {
  const column = Math.max(...lines.map(([label]) => displayWidth(label))) + 4;
  return lines.flatMap(([label, text]) => {
    const head = padToWidth(`  ${label}`, column);
    if (UNWRAPPED_LABELS.has(label)) return [`${head}${text}`];
    const [first = '', ...more] = wrapHanging(text, { width, indent: ' '.repeat(column) });
    return [`${head}${first}`, ...more];
  });
}

/** A command stays on one line, so that it can be copied. */
const UNWRAPPED_LABELS: ReadonlySet<string> = new Set(['state', 'next']);

/** Formats the state and the next command. */
export function stateLines({
  state,
  note,
  next,
}: Pick<ServerDetail, 'note' | 'next'> & { state: string }): readonly LabeledLine[] {
  return [
    ['state', note === undefined ? state : `${state}: ${oneLine(note)}`],
    ...(next === undefined ? [] : [['next', oneLine(next)] as const]),
  ];
}

/** Formats the settings of the entry; a setting in the same file shows only its line. */
export function configLines({
  configured,
  source,
  settings,
}: Pick<ServerDetail, 'configured' | 'source' | 'settings'>): readonly LabeledLine[] {
  const file = configured.replace(/:\d+$/, '');
  return [
    ['configured', `${escapeInvisible(configured)} (${oneLine(source)})`],
    ...settings.map(({ key, value, place }) => {
      const where = place.startsWith(`${file}:`) ? `line ${place.slice(file.length + 1)}` : escapeInvisible(place);
      return [escapeInvisible(key), `${oneLine(value)}${where === '' ? '' : `  (${where})`}`] as const;
    }),
  ];
}

function connectionLines({ transport, where, protocolVersion, era, serverInfo }: ServerDetail): readonly LabeledLine[] {
  const eraWords = era === undefined ? '' : ` (${era})`;
  return [
    ['reached by', [transport ?? '-', ...(where === undefined ? [] : [oneLine(where)])].join(', ')],
    ...(protocolVersion === undefined ? [] : [['protocol', `${oneLine(protocolVersion)}${eraWords}`] as const]),
    ...(serverInfo === undefined ? [] : [['server', oneLine(serverInfo)] as const]),
  ];
}

function historyLines(server: ServerDetail, now: number): readonly LabeledLine[] {
  const {
    tools,
    hiddenTools = 0,
    prompts,
    resources,
    calls,
    underWay,
    p50Ms,
    restarts,
    processes,
    droppedMessages,
    lastConnectedAt,
    lastError,
  } = server;
  const pending = underWay === 0 ? '' : `, ${underWay} pending`;
  const median = p50Ms === undefined ? '' : `, p50 ${formatCallTime(p50Ms)}`;
  return [
    [
      'offers',
      `${plural(tools, 'tool')}${hiddenTools === 0 ? '' : ` (${hiddenTools} hidden)`}, ${plural(prompts, 'prompt')}, ${plural(resources, 'resource')}`,
    ],
    ['calls', `${calls} answered${pending}${median}`],
    ...(restarts === 0 ? [] : [['restarts', String(restarts)] as const]),
    ...(processes === undefined ? [] : [['processes', String(processes)] as const]),
    ...(droppedMessages === undefined
      ? []
      : [['dropped', `${plural(droppedMessages, 'message')} without a known client`] as const]),
    ['last connected', lastConnectedAt === undefined ? 'never' : formatTimestamp(lastConnectedAt, now)],
    ['last error', lastError === undefined ? 'none' : errorText(lastError, now)],
  ];
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function errorText({ code, message, at }: NonNullable<ServerDetail['lastError']>, now: number): string {
  return `${oneLine(code)}: ${oneLine(message)}, ${formatTimestamp(at, now)}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function toolLines({ name, publicName, badges, hidden, rewrites }: ToolSummary): readonly string[] {
  const marks = badges.length === 0 ? '' : ` [${badges.map((badge) => oneLine(badge)).join(', ')}]`;
  const other = publicName === undefined ? '' : `  as ${quoteIfNeeded(publicName)}`;
  return [
    `${quoteIfNeeded(name)}${marks}${other}`,
    ...(hidden === undefined ? [] : [`  not offered: ${oneLine(hidden)}`]),
    ...rewrites.map((rewrite) => `  rewritten: ${oneLine(rewrite)}`),
  ];
}
