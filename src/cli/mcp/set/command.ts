import { type EditedEntry, type EntryEdit, editEntry } from '../../../config/write/edit-entry.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import { type ArgumentRules, type Arguments, parseArguments } from '../../arguments/parse-arguments.ts';
import { createSecretInput } from '../../arguments/secret-input.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { parseScope } from '../config/change-result.ts';
import { readDefinitions, withoutExplicitFile } from '../config/definitions.ts';
import { changedConcurrentlyError } from '../config/entry-errors.ts';
import { keepTrust } from '../config/keep-trust.ts';
import { type LocatedEntry, locateEntry } from '../config/locate-entry.ts';
import { visibleSecretWarnings } from '../config/secret-warnings.ts';
import { validateEntry } from '../config/validate-entry.ts';
import { createValueReader } from '../config/value-reader.ts';
import { parseAssignments } from './parse-assignments.ts';
import { planAssignments, planRemovals } from './plan-edits.ts';
import { printEdit } from './print-edit.ts';
import { parseSetting } from './setting-keys.ts';

const COMMON = { requiredPositionals: 2, options: ['--scope'], flags: ['--dry-run'] };
const SET_RULES: ArgumentRules = {
  ...COMMON,
  command: 'switchboard mcp set',
  positionals: ['<server>', '<key=value>…'],
};
const UNSET_RULES: ArgumentRules = { ...COMMON, command: 'switchboard mcp unset', positionals: ['<server>', '<key>…'] };

/** Runs `switchboard mcp set <server> key=value…`: changes single settings and keeps the rest of the file. */
export async function mcpSet(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, SET_RULES);
  const [id = '', ...words] = parsed.positionals;
  const located = await locate(id, { parsed, rules: SET_RULES, command: 'set' }, context);
  const warnings: string[] = [];
  const secrets = createSecretInput({ input: process.stdin, output: process.stderr });
  const values = createValueReader(secrets, warnings);
  const assignments = await parseAssignments(words, { rules: SET_RULES, values });
  const plan = (entry: WrittenEntry) => planAssignments(entry, assignments, { id, rules: SET_RULES });
  const named = new Set(assignments.map(({ setting }) => setting.path[0]));
  const edited = edit(id, located, { plan, parsed, rules: SET_RULES, context });
  const open = Object.fromEntries(Object.entries(edited.after).filter(([key]) => named.has(key)));
  printEdit(id, { edited, located, parsed, warnings: [...warnings, ...visibleSecretWarnings(open)] }, context);
}

/** Runs `switchboard mcp unset <server> key…`. */
export async function mcpUnset(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, UNSET_RULES);
  const [id = '', ...keys] = parsed.positionals;
  const located = await locate(id, { parsed, rules: UNSET_RULES, command: 'unset' }, context);
  const settings = keys.map((key) => parseSetting(key, UNSET_RULES));
  const plan = (entry: WrittenEntry) => planRemovals(entry, settings, { id, rules: UNSET_RULES });
  const edited = edit(id, located, { plan, parsed, rules: UNSET_RULES, context });
  printEdit(id, { edited, located, parsed, warnings: [] }, context);
}

async function locate(
  id: string,
  { parsed, rules, command }: { readonly parsed: Arguments; readonly rules: ArgumentRules; readonly command: string },
  context: CommandContext,
): Promise<LocatedEntry> {
  const environment = withoutExplicitFile(environmentOf(context));
  const definitions = await readDefinitions(environment);
  return locateEntry(id, { command, scope: parseScope(parsed, rules), definitions, environment });
}

interface EditTask {
  readonly plan: (entry: WrittenEntry) => readonly EntryEdit[];
  readonly parsed: Arguments;
  readonly rules: ArgumentRules;
  readonly context: CommandContext;
}

function edit(
  id: string,
  { source, isTrusted }: LocatedEntry,
  { plan, parsed, rules, context }: EditTask,
): EditedEntry {
  const isDryRun = parsed.has('--dry-run');
  const check = (entry: WrittenEntry) => validateEntry(id, entry, rules);
  const edited = editEntry(source, id, { plan, check, isDryRun });
  if (edited === undefined) throw changedConcurrentlyError(source, id);
  if (!isDryRun && edited.isChanged) keepTrust(id, { source, isTrusted, written: edited.after }, context);
  return edited;
}
