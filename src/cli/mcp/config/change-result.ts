import type { ArgumentRules, Arguments } from '../../arguments/parse-arguments.ts';
import { parseChoice } from '../../arguments/values.ts';
import { type Output, toJson } from '../../output.ts';
import type { Scope } from './definitions.ts';

/** The answer of every command that changes the config. */
export interface ChangeResult {
  readonly action: string;
  readonly id: string;
  readonly scope: Scope;
  readonly file: string;
  readonly [more: string]: unknown;
}

/** As text: a sentence on stdout, warnings and next steps on stderr. As JSON: one document. */
export function printChange(
  output: Output,
  {
    isJson,
    isDryRun = false,
    answer,
    sentence,
    warnings,
    next = [],
  }: {
    readonly isJson: boolean;
    /** Whether nothing was written. The sentence then says what would be the case. */
    readonly isDryRun?: boolean;
    readonly answer: ChangeResult;
    readonly sentence: string;
    readonly warnings: readonly string[];
    /** The next commands to type. */
    readonly next?: readonly string[];
  },
): void {
  const shown = isDryRun ? `Dry run, nothing was written. Without --dry-run: ${sentence}` : sentence;
  output.answer(isJson ? toJson({ ...answer, ...(isDryRun ? { isDryRun } : {}), warnings }) : shown);
  if (isJson) return;
  for (const warning of warnings) output.report(`Warning: ${warning}`);
  for (const line of next) output.report(`Next: ${line}`);
}

/** Returns the value of `--scope`. */
export function parseScope(parsed: Arguments, rules: ArgumentRules): Scope | undefined {
  return parseChoice(parsed, '--scope', { words: ['project', 'global'], rules });
}
