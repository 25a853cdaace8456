import { visible, visibleWord } from '../../base/text/visible-text.ts';
import { entryWarnings } from '../../config/entry/entry-warnings.ts';
import { type ExplainedEntry, explainEntry } from '../../config/entry/explain-entry.ts';
import { describe, place } from '../../config/problem.ts';
import { type ArgumentRules, readArguments } from '../arguments/parse-arguments.ts';
import type { CommandContext } from '../main.ts';
import { toJson } from './config/change-result.ts';
import { type Definitions, readDefinitions, surroundingsOf } from './config/definitions.ts';
import { unknownServer } from './config/unknown-server.ts';
import { openAuthView } from './list/auth-state.ts';
import { documentOf, type ServerRow, sourceOf, toRows } from './list/rows.ts';

const RULES: ArgumentRules = { command: 'switchboard mcp get', words: ['<id>'], needed: 1 };

/** `switchboard mcp get`: everything that files say about one server, secrets masked. */
export async function mcpGet(args: readonly string[], context: CommandContext): Promise<void> {
  const asked = readArguments(args, RULES);
  const [id = ''] = asked.words;
  const surroundings = surroundingsOf(context);
  const definitions = await readDefinitions(surroundings);
  const row = toRows(definitions).find((candidate) => candidate.id === id);
  const explained = explainEntry(surroundings, id);
  if (row === undefined || explained === undefined) throw unknownServer(id, definitions);
  const auth = await openAuthView([row], surroundings);
  const shown = auth.of(row);
  const { problems } = auth;
  const warnings = warningsOf(id, definitions);
  if (problems.length > 0) process.exitCode = CONFIG_INVALID;
  if (asked.isJson) {
    const { values, defaults, overridden } = explained;
    const more = { auth: shown, values, defaults, overridden, problems, warnings };
    return context.output.answer(toJson({ ...documentOf(row), ...more }));
  }
  for (const problem of problems) context.output.complain(describe(problem));
  for (const warning of warnings) context.output.complain(`Warning: ${warning}`);
  context.output.answer(toText(row, explained, shown));
}

function warningsOf(id: string, { servers }: Definitions): readonly string[] {
  const verdict = servers.find((server) => server.id === id)?.verdict;
  return verdict?.kind === 'usable' ? entryWarnings(verdict.entry, undefined) : [];
}

/** The exit status when what is known of its sign-in cannot be read. */
const CONFIG_INVALID = 7;

function toText(row: ServerRow, { values, defaults, overridden }: ExplainedEntry, auth: string): string {
  const { file, line } = row.origin;
  const width = Math.max(...[...values, ...defaults].map(({ key }) => key.length), 'state'.length) + 2;
  const said = values.map(({ key, shown, line: at }) => `  ${key.padEnd(width)}${shown}  (line ${at})`);
  const unsaid = defaults.map(({ key, shown }) => `  ${key.padEnd(width)}${shown}`);
  return [
    `${visibleWord(row.id)}, ${place(file, line)} (${sourceOf(row)})`,
    `  ${'state'.padEnd(width)}${stateWords(row)}`,
    `  ${'auth'.padEnd(width)}${auth}`,
    ...said,
    ...(unsaid.length === 0 ? [] : ['By default:', ...unsaid]),
    ...(overridden.length === 0 ? [] : ['Defined elsewhere too, without effect:']),
    ...overridden.map((other) => `  ${place(other.file, other.line)}: ${visible(other.why)}`),
  ].join('\n');
}

function stateWords({ state, reason }: ServerRow): string {
  if (state === 'on') return 'enabled';
  const why = reason === undefined ? '' : `: ${visible(reason)}`;
  return state === 'broken' ? `broken${why}` : `disabled${why}`;
}
