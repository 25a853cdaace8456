import { oneLine } from '../../base/text/safe-text.ts';
import type { ServerStatus } from '../../gateway/status/server-status.ts';
import { padToWidth, truncate } from '../terminal/width.ts';

/** How one server is, in columns; below it what should be known, and last of all what to do. */
export function serverLines(server: ServerStatus): readonly string[] {
  const { id, state, reason, next, configured, quarantined, changes, problems, lastWords, strayOutput } = server;
  const head = [
    padToWidth(truncate(oneLine(id), MAX_ID_WIDTH), 24),
    state.padEnd(14),
    toolCount(server).padEnd(10),
    configured,
  ].join(' ');
  const detail = [
    ...(reason === undefined ? [] : [reason]),
    ...lastWords.map((line) => `stderr: ${line}`),
    ...(strayOutput === undefined || reason?.includes(strayOutput) ? [] : [strayOutput]),
    // They are the reason for this state.
    ...(state === 'degraded' ? [] : problems),
    ...quarantined.map(({ name, reason: why }) => `left out: ${name}: ${why}`),
    ...changes.map(({ name, what }) => `${name}: ${what}`),
  ];
  return [
    head.trimEnd(),
    ...detail.map((line) => `  ${oneLine(line, MAX_LINE_LENGTH)}`),
    // Half a command is of no use.
    ...(next === undefined ? [] : [`  next: ${oneLine(next)}`]),
  ];
}

function toolCount({ tools, hiddenTools }: ServerStatus): string {
  const hidden = hiddenTools === 0 ? '' : ` (${hiddenTools} hidden)`;
  return `${tools} tool${tools === 1 ? '' : 's'}${hidden}`;
}

const MAX_ID_WIDTH = 40;
const MAX_LINE_LENGTH = 300;

/** How many servers there are of each state, and how many tools all of them offer. */
export interface Totals {
  readonly servers: number;
  readonly tools: number;
  readonly states: Readonly<Record<string, number>>;
}

export function totalsOf(servers: readonly ServerStatus[]): Totals {
  const states: Record<string, number> = {};
  for (const { state } of servers) states[state] = (states[state] ?? 0) + 1;
  return { servers: servers.length, tools: servers.reduce((sum, { tools }) => sum + tools, 0), states };
}

export function totalsLine(servers: readonly ServerStatus[]): string {
  const { tools, states } = totalsOf(servers);
  const counts = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return `${servers.length} server${servers.length === 1 ? '' : 's'}: ${counts.join(', ')}; ${tools} tool${tools === 1 ? '' : 's'}`;
}
