import { describe } from '../../../config/problem.ts';
import { type ArgumentRules, readArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../main.ts';
import { readChoice, toJson } from '../config/change-result.ts';
import { readDefinitions, surroundingsOf } from '../config/definitions.ts';
import { NO_SERVERS } from '../no-servers.ts';
import { openAuthView } from './auth-state.ts';
import { documentOf, toDefinedRows } from './rows.ts';
import { listTable } from './table.ts';

const RULES: ArgumentRules = { command: 'switchboard mcp list', words: [], needed: 0, once: ['--scope'] };

/** `switchboard mcp list`: what is configured, from files alone. Nothing is started or connected. */
export async function mcpList(args: readonly string[], context: CommandContext): Promise<void> {
  const asked = readArguments(args, RULES);
  const scope =
    readChoice(asked, '--scope', { words: ['effective', 'project', 'global'], rules: RULES }) ?? 'effective';
  const surroundings = surroundingsOf(context);
  const definitions = await readDefinitions(surroundings, scope === 'effective' ? undefined : scope);
  const rows = toDefinedRows(definitions);
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
  context.output.answer(listTable(shown, context.output.screen?.size().columns).join('\n'));
}

/** The exit status for a config that cannot be used. */
const CONFIG_INVALID = 7;
