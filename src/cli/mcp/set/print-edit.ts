import { isDeepStrictEqual } from 'node:util';
import { programName } from '../../../base/program-name.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { serverCommand } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { EditedEntry } from '../../../config/write/edit-entry.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import { isObject } from '../../../wire/messages.ts';
import type { Arguments } from '../../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { printChange } from '../config/change-result.ts';
import { explicitFileWarning } from '../config/definitions.ts';
import type { LocatedEntry } from '../config/locate-entry.ts';
import { maskEntry } from '../config/mask-entry.ts';
import { projectSecretWarnings } from '../config/secret-warnings.ts';

export interface EditResult {
  readonly edited: EditedEntry;
  readonly located: LocatedEntry;
  readonly parsed: Arguments;
  readonly warnings: readonly string[];
}

/** Prints what changed, with secrets masked, and what the user may want to do next. */
export function printEdit(
  id: string,
  { edited, located, parsed, warnings }: EditResult,
  context: CommandContext,
): void {
  const { scope, source } = located;
  const changes = listChanges(maskEntry(edited.before), maskEntry(edited.after), edited);
  const isDryRun = parsed.has('--dry-run');
  const where = `the ${scope} config, ${formatLocation(source.file, 0)}`;
  const lines = changes.map(({ key, before, after }) => `  ${key}: ${textOf(before)} -> ${textOf(after)}`);
  const isChanged = changes.length > 0;
  const head = isChanged
    ? `${quoteIfNeeded(id)} changed in ${where}:`
    : `${quoteIfNeeded(id)} is unchanged in ${where}.`;
  printChange(context.output, {
    isJson: parsed.isJson,
    isDryRun,
    answer: { action: isChanged ? 'changed' : 'unchanged', id, scope, file: source.file, changes },
    sentence: [head, ...lines].join('\n'),
    warnings: [
      ...warnings,
      ...projectSecretWarnings(edited.after, { scope, file: source.file }),
      ...(located.isTrusted || !source.needsTrust ? [] : [untrustedWarning()]),
      ...explicitFileWarning(environmentOf(context)),
    ],
    ...(isDryRun || !isChanged || edited.after['enabled'] === false ? {} : { next: [serverCommand('mcp test', id)] }),
  });
}

function untrustedWarning(): string {
  return `the entry is untrusted and has no effect: to trust it, run ${programName()} trust`;
}

interface Change {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Lists the settings that differ, with secrets masked. Two masked values may look the same. */
function listChanges(
  before: WrittenEntry,
  after: WrittenEntry,
  raw: Pick<EditedEntry, 'before' | 'after'>,
): readonly Change[] {
  const keys = [...new Set([...leavesOf(raw.before), ...leavesOf(raw.after)])];
  const differs = (key: string) => !isDeepStrictEqual(valueAt(raw.before, key), valueAt(raw.after, key));
  return keys.filter(differs).map((key) => ({ key, before: valueAt(before, key), after: valueAt(after, key) }));
}

function leavesOf(entry: WrittenEntry): readonly string[] {
  return Object.entries(entry).flatMap(([key, value]) =>
    isObject(value) ? Object.keys(value).map((name) => `${key}.${name}`) : [key],
  );
}

function valueAt(entry: WrittenEntry, key: string): unknown {
  const dot = key.indexOf('.');
  if (dot === -1) return entry[key];
  const members = entry[key.slice(0, dot)];
  return isObject(members) ? members[key.slice(dot + 1)] : undefined;
}

function textOf(value: unknown): string {
  return value === undefined ? '(not set)' : escapeInvisible(JSON.stringify(value));
}
