import type { ArgumentRules, Arguments } from '../../arguments/parse-arguments.ts';
import { parseTimeout } from '../../arguments/values.ts';
import type { CommandContext } from '../../command-context.ts';
import type { RequestOptions } from './list-servers.ts';

/** Options of every command that queries servers: `--direct` and `--timeout <seconds>`. */
export const REQUEST_FLAGS: readonly string[] = ['--direct'];
export const REQUEST_OPTIONS: readonly string[] = ['--timeout'];

export function parseRequestOptions(parsed: Arguments, rules: ArgumentRules, context: CommandContext): RequestOptions {
  // With --json, stderr is for errors only.
  const notify = parsed.isJson ? undefined : context.output.notice;
  const timeoutMs = parseTimeout(parsed.value('--timeout'), rules);
  return { context, isDirect: parsed.has('--direct'), isVerbose: parsed.has('--verbose'), timeoutMs, notify };
}
