import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type ArgumentRules, type Arguments, usageError } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../main.ts';
import type { RequestOptions } from './list-servers.ts';

/** Options of every command that queries servers: `--direct` and `--timeout <seconds>`. */
export const REQUEST_FLAGS: readonly string[] = ['--direct'];
export const REQUEST_OPTIONS: readonly string[] = ['--timeout'];

export function parseRequestOptions(parsed: Arguments, rules: ArgumentRules, context: CommandContext): RequestOptions {
  // With --json, stderr is for errors only.
  const notify = parsed.isJson ? undefined : context.output.notice;
  const timeoutMs = parseSeconds(parsed.value('--timeout'), rules);
  return { context, isDirect: parsed.has('--direct'), isVerbose: parsed.has('--verbose'), timeoutMs, notify };
}

function parseSeconds(text: string | undefined, rules: ArgumentRules): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= MAX_SECONDS) return Math.ceil(seconds * 1_000);
  throw usageError(rules, `--timeout takes a number of seconds, not ${quoteIfNeeded(text)}.`);
}

const MAX_SECONDS = 3_600;
