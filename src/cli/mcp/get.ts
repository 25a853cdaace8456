import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { entryWarnings } from '../../config/entry/entry-warnings.ts';
import { type ExplainedEntry, explainEntry } from '../../config/entry/explain-entry.ts';
import type { Definitions } from '../../config/load-config.ts';
import { formatLocation, formatProblem } from '../../config/problem.ts';
import { unknownServer } from '../../config/unknown-server.ts';
import { type ArgumentRules, parseArguments } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { toJson } from '../output.ts';
import { readDefinitions } from './config/definitions.ts';
import { openAuthStates } from './list/auth-state.ts';
import { documentOf, type ServerRow, sourceOf, toRows } from './list/rows.ts';

const RULES: ArgumentRules = { command: 'switchboard mcp get', positionals: ['<id>'], requiredPositionals: 1 };

/** Runs `switchboard mcp get`: shows everything that the files define for one server, secrets masked. */
export async function mcpGet(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const [id = ''] = parsed.positionals;
  const environment = environmentOf(context);
  const definitions = await readDefinitions(environment);
  const row = toRows(definitions).find((candidate) => candidate.id === id);
  const explained = explainEntry(definitions, id);
  if (row === undefined || explained === undefined) throw unknownServer(id, definitions);
  const auth = await openAuthStates([row], environment);
  const shown = auth.of(row);
  const { problems } = auth;
  const warnings = warningsOf(id, definitions);
  if (problems.length > 0) process.exitCode = CONFIG_INVALID;
  if (parsed.isJson) {
    const { values, defaults, overridden } = explained;
    const more = { auth: shown, values, defaults, overridden, problems, warnings };
    return context.output.answer(toJson({ ...documentOf(row), ...more }));
  }
  for (const problem of problems) context.output.report(formatProblem(problem));
  for (const warning of warnings) context.output.report(`Warning: ${warning}`);
  context.output.answer(toText(row, explained, shown));
}

function warningsOf(id: string, { servers }: Definitions): readonly string[] {
  const verdict = servers.find((server) => server.id === id)?.verdict;
  return verdict?.kind === 'usable' ? entryWarnings(verdict.entry, undefined) : [];
}

/** Exit status when the stored sign-in is unreadable. */
const CONFIG_INVALID = 7;

function toText(row: ServerRow, { values, defaults, overridden }: ExplainedEntry, auth: string): string {
  const { file, line } = row.origin;
  const width = Math.max(...[...values, ...defaults].map(({ key }) => key.length), 'state'.length) + 2;
  const explicit = values.map(({ key, shown, line: at }) => `  ${key.padEnd(width)}${shown}  (line ${at})`);
  const defaulted = defaults.map(({ key, shown }) => `  ${key.padEnd(width)}${shown}`);
  return [
    `${quoteIfNeeded(row.id)}, ${formatLocation(file, line)} (${sourceOf(row)})`,
    `  ${'state'.padEnd(width)}${stateText(row)}`,
    `  ${'auth'.padEnd(width)}${auth}`,
    ...explicit,
    ...(defaulted.length === 0 ? [] : ['By default:', ...defaulted]),
    ...(overridden.length === 0 ? [] : ['Also defined elsewhere, without effect:']),
    ...overridden.map((other) => `  ${formatLocation(other.file, other.line)}: ${escapeInvisible(other.why)}`),
  ].join('\n');
}

function stateText({ state, reason }: ServerRow): string {
  if (state === 'on') return 'enabled';
  const why = reason === undefined ? '' : `: ${escapeInvisible(reason)}`;
  return state === 'broken' ? `broken${why}` : `disabled${why}`;
}
