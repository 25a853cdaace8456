import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { formatProblem } from '../../../config/problem.ts';
import { selectLimits } from '../../../config/views/select-view.ts';
import { createView } from '../../../config/views/view.ts';
import { type ArgumentRules, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import { parseChoice } from '../../arguments/values.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { toJson } from '../../output.ts';
import { createStyle } from '../../terminal/style.ts';
import { readDefinitions } from '../config/definitions.ts';
import { noServersLines } from '../no-servers.ts';
import { openAuthStates } from './auth-state.ts';
import { documentOf, toDefinedRows } from './rows.ts';
import { listTable } from './table.ts';

const RULES: ArgumentRules = {
  command: 'switchboard mcp list',
  positionals: [],
  requiredPositionals: 0,
  options: ['--scope', '--view'],
};

/** Runs `switchboard mcp list`: shows the configured servers from files only. Starts and connects nothing. */
export async function mcpList(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const scope =
    parseChoice(parsed, '--scope', { words: ['effective', 'project', 'global'], rules: RULES }) ?? 'effective';
  const environment = environmentOf(context);
  const definitions = await readDefinitions(environment, scope === 'effective' ? undefined : scope);
  const name = parsed.value('--view');
  if (name !== undefined && scope !== 'effective')
    throw usageError(RULES, '--view applies to the entries in effect: leave out --scope.');
  const view = createView(selectLimits(definitions, { view: name }));
  const rows = toDefinedRows(definitions).filter(({ id }) => view.showsServer(id));
  const auth = await openAuthStates(rows, environment);
  const shown = rows.map((row) => ({ row, auth: auth.of(row) }));
  const problems = [...definitions.problems, ...auth.problems];
  // The entries of an unreadable file are missing here, which is not a success.
  const isComplete = definitions.files.every(({ state }) => state !== 'broken') && auth.problems.length === 0;
  if (!isComplete) process.exitCode = CONFIG_INVALID;
  if (parsed.isJson) {
    const servers = shown.map(({ row, auth: how }) => ({ ...documentOf(row), auth: how }));
    return context.output.answer(toJson({ scope, ...(name === undefined ? {} : { view: name }), servers, problems }));
  }
  for (const problem of problems) context.output.report(formatProblem(problem));
  if (rows.length === 0 && name !== undefined) return context.output.answer(`no server is in the view ${name}`);
  if (rows.length === 0) {
    const lines = isComplete ? [...noServersLines(), ...(await foundLines(environment))] : ['no server could be read'];
    return context.output.answer(lines.join('\n'));
  }
  const { screen } = context.output;
  const style = createStyle({ isTerminal: screen !== undefined, env: context.env });
  context.output.answer(listTable(shown, screen?.size().columns, style).join('\n'));
}

/** Names the servers of other clients, which can be imported. */
async function foundLines(environment: Environment): Promise<readonly string[]> {
  const { findNewServers } = await import('../../../clients/import/find-new-servers.ts');
  const found = await findNewServers(environment);
  return found.map(({ title, names }) => `  ${title}: ${names.map(quoteIfNeeded).join(', ')}`);
}

/** Exit status for an unusable config. */
const CONFIG_INVALID = 7;
