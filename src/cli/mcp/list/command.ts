import { programName } from '../../../base/program-name.ts';
import type { Environment } from '../../../config/files/folders.ts';
import type { Definitions } from '../../../config/load-config.ts';
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
import { openClientUsers } from './client-users.ts';
import { documentOf, type ServerRow, toDefinedRows } from './rows.ts';
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
  const needsSignIn = await findNeededSignIns(definitions, context);
  const authOf = (row: ServerRow) => {
    const known = auth.of(row);
    return known === 'none' && needsSignIn.has(row.id) ? 'sign-in needed' : known;
  };
  const usersOf = await openClientUsers(environment);
  const shown = rows.map((row) => ({ row, auth: authOf(row), usedBy: usersOf(row.id) }));
  const problems = [...definitions.problems, ...auth.problems];
  // The entries of an unreadable file are missing here, which is not a success.
  const isComplete = definitions.files.every(({ state }) => state !== 'broken') && auth.problems.length === 0;
  if (!isComplete) process.exitCode = CONFIG_INVALID;
  if (parsed.isJson) {
    const servers = shown.map(({ row, auth: how, usedBy }) => ({
      ...{ ...documentOf(row), auth: how },
      ...(usedBy === undefined ? {} : { usedBy }),
    }));
    return context.output.answer(toJson({ scope, ...(name === undefined ? {} : { view: name }), servers, problems }));
  }
  for (const problem of problems) context.output.report(formatProblem(problem));
  if (rows.length === 0 && name !== undefined) return context.output.answer(`no server is in the view ${name}`);
  if (rows.length === 0) {
    if (!isComplete) return context.output.answer('no server could be read');
    const found = await foundLines(environment);
    return context.output.answer((found.length === 0 ? noServersLines() : foundText(found)).join('\n'));
  }
  const { screen } = context.output;
  const style = createStyle({ isTerminal: screen !== undefined, env: context.env });
  context.output.answer(listTable(shown, screen?.size().columns, style).join('\n'));
}

/** Returns the servers that refused their last start without a sign-in. */
async function findNeededSignIns({ servers }: Definitions, context: CommandContext): Promise<ReadonlySet<string>> {
  const entries = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));
  const remote = entries.filter(({ transport }) => transport.kind === 'http');
  if (remote.length === 0) return new Set();
  const cache = (await import('../servers/server-cache.ts')).openServerCache(context);
  return new Set(remote.filter((entry) => cache.readFailure(entry)?.code === 'SIGN_IN_NEEDED').map(({ id }) => id));
}

function foundText(found: readonly string[]): readonly string[] {
  const own = programName();
  return [
    'no MCP servers configured in Switchboard yet. Your clients have:',
    ...found,
    `To import them, run: ${own} import`,
    `To add another one, run: ${own} add <id> https://…   or   ${own} add <id> -- <command> [args]`,
  ];
}

/** Lists the servers of other clients, which can be imported. */
async function foundLines(environment: Environment): Promise<readonly string[]> {
  const [{ findServers }, { mergeServers }, { foundTable }] = await Promise.all([
    import('../../../clients/import/find-servers.ts'),
    import('../../../clients/import/merge-servers.ts'),
    import('../../import/found-table.ts'),
  ]);
  const { files } = await findServers(environment);
  return foundTable(mergeServers(files.flatMap(({ servers }) => servers)));
}

/** Exit status for an unusable config. */
const CONFIG_INVALID = 7;
