import { padToWidth, truncateToWidth } from '../../base/text/display-width.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { isAsConfigured, type ServerStatus } from '../../gateway/status/server-status.ts';
import { countHealth, type HealthCounts, type ServerHealth } from '../health/server-health.ts';

/** Formats one server: a line of columns, then details, then the next command. */
export function serverLines(server: ServerStatus): readonly string[] {
  const { id, state, reason, next, configured, quarantined, changes, problems, lastWords, strayOutput } = server;
  const head = [
    padToWidth(truncateToWidth(oneLine(id), MAX_ID_WIDTH), 24),
    state.padEnd(14),
    toolCount(server).padEnd(10),
    configured,
  ].join(' ');
  const detail = [
    ...(reason === undefined ? [] : [reason]),
    ...lastWords.map((line) => `stderr: ${line}`),
    ...(strayOutput === undefined || reason?.includes(strayOutput) ? [] : [strayOutput]),
    // They are already the reason for this state.
    ...(state === 'degraded' ? [] : problems),
    ...quarantined.map(({ name, reason: why }) => `left out: ${name}: ${why}`),
    ...changes.map(({ name, what }) => `${name}: ${what}`),
  ];
  return [
    head.trimEnd(),
    ...detail.map((line) => `  ${oneLine(line, MAX_LINE_LENGTH)}`),
    // Not truncated: half a command is useless.
    ...(next === undefined ? [] : [`  next: ${oneLine(next)}`]),
  ];
}

function toolCount({ tools, hiddenTools }: ServerStatus): string {
  const hidden = hiddenTools === 0 ? '' : ` (${hiddenTools} hidden)`;
  return `${tools} tool${tools === 1 ? '' : 's'}${hidden}`;
}

const MAX_ID_WIDTH = 40;
const MAX_LINE_LENGTH = 300;

/** Number of servers per health and per state, and of tools in total. */
export interface Totals extends HealthCounts {
  readonly states: Readonly<Record<string, number>>;
}

export function totalsOf(servers: readonly ServerStatus[]): Totals {
  const states: Record<string, number> = {};
  for (const { state } of servers) states[state] = (states[state] ?? 0) + 1;
  return { ...countHealth(servers.map(toHealth)), states };
}

function toHealth(server: ServerStatus): ServerHealth {
  const { id, state, tools } = server;
  if (state !== 'disabled') return { id, state: state === 'ready' ? 'working' : 'failing', tools };
  return { id, state: isAsConfigured(server) ? 'disabled' : 'untrusted', tools };
}

export function totalsLine(servers: readonly ServerStatus[]): string {
  const { tools, states } = totalsOf(servers);
  const counts = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return `${servers.length} server${servers.length === 1 ? '' : 's'}: ${counts.join(', ')}; ${tools} tool${tools === 1 ? '' : 's'}`;
}
