import { oneLine } from '../../base/text.ts';
import { describe } from '../../config/problem.ts';
import { visible, visibleWord } from '../../config/visible-text.ts';
import { type ArgumentRules, readArguments } from '../arguments.ts';
import type { CommandContext } from '../main.ts';
import { readChoice, toJson } from './mcp-answers.ts';
import { openAuthView } from './mcp-list-auth.ts';
import { documentOf, type ServerRow, sourceOf, targetOf, toRows } from './mcp-list-rows.ts';
import { readDefinitions, surroundingsOf } from './mcp-sources.ts';
import { NO_SERVERS } from './mcp-status-none.ts';

const RULES: ArgumentRules = { command: 'switchboard mcp list', words: [], needed: 0, once: ['--scope'] };

/** `switchboard mcp list`: what is configured, from files alone. Nothing is started or connected. */
export async function mcpList(args: readonly string[], context: CommandContext): Promise<void> {
  const asked = readArguments(args, RULES);
  const scope =
    readChoice(asked, '--scope', { words: ['effective', 'project', 'global'], rules: RULES }) ?? 'effective';
  const surroundings = surroundingsOf(context);
  const definitions = await readDefinitions(surroundings, scope === 'effective' ? undefined : scope);
  const rows = toRows(definitions);
  const auth = await openAuthView(rows, surroundings);
  const shown = rows.map((row) => ({ row, auth: auth.of(row) }));
  const problems = [...definitions.problems, ...auth.problems];
  // What stands in a file that cannot be read is missing here: that is no success.
  const isWhole = definitions.files.every(({ state }) => state !== 'broken') && auth.problems.length === 0;
  if (!isWhole) process.exitCode = CONFIG_INVALID;
  if (asked.isJson) {
    const servers = shown.map(({ row, auth: how }) => ({ ...documentOf(row), auth: how }));
    return context.output.answer(toJson({ scope, servers, problems }));
  }
  for (const problem of problems) context.output.complain(describe(problem));
  if (rows.length === 0) return context.output.answer(isWhole ? NO_SERVERS.join('\n') : 'no server could be read');
  context.output.answer(toTable([HEAD, ...shown.map(({ row, auth: how }) => cellsOf(row, how))]));
}

/** The exit status for a config that cannot be used. */
const CONFIG_INVALID = 7;

const HEAD = ['id', 'transport', 'source', 'enabled', 'target', 'auth'];
const MAX_TARGET = 70;

function cellsOf(row: ServerRow, auth: string): readonly string[] {
  const target = row.state === 'broken' ? (row.reason ?? '') : targetOf(row);
  return [
    visibleWord(row.id),
    row.settings?.kind ?? '-',
    sourceOf(row),
    enabledWord(row),
    // Where an entry is broken, why is all that is of interest.
    row.state === 'broken' ? oneLine(visible(target)) : oneLine(target, MAX_TARGET),
    auth,
  ];
}

function enabledWord({ state, reason }: ServerRow): string {
  switch (state) {
    case 'on':
      return 'yes';
    case 'off':
      return reason === undefined ? 'no' : 'no (itself)';
    case 'untrusted':
      return 'no (untrusted)';
    case 'broken':
      return 'broken';
  }
}

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lines = rows.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}
