import { oneLine } from '../base/text.ts';
import type { ServerStatus } from '../gateway/status.ts';
import { cutTo, pad } from './commands/mcp-status-width.ts';

/** How one server is, in columns; below it what should be known, and last of all what to do. */
export function serverLines(server: ServerStatus): readonly string[] {
  const { id, state, tools, reason, next, configured, quarantined, changes, problems, lastWords } = server;
  const head = [
    pad(cutTo(oneLine(id), MAX_ID_WIDTH), 24),
    state.padEnd(14),
    `${tools} tool${tools === 1 ? '' : 's'}`.padEnd(10),
    configured,
  ].join(' ');
  const detail = [
    ...(reason === undefined ? [] : [reason]),
    ...lastWords.map((line) => `stderr: ${line}`),
    ...problems,
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

const MAX_ID_WIDTH = 40;
const MAX_LINE_LENGTH = 300;
