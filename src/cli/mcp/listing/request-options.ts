import { visibleWord } from '../../../base/text/visible-text.ts';
import { type ArgumentRules, type Arguments, fail } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../main.ts';
import type { AskOptions } from './list-servers.ts';

/** What every command takes that asks servers: `--direct` and `--timeout <seconds>`. */
export const ASK_FLAGS: readonly string[] = ['--direct'];
export const ASK_VALUES: readonly string[] = ['--timeout'];

export function readAskOptions(asked: Arguments, rules: ArgumentRules, context: CommandContext): AskOptions {
  // With --json stderr is for errors alone.
  const tell = asked.isJson ? undefined : context.output.notice;
  const timeoutMs = readSeconds(asked.value('--timeout'), rules);
  return { context, isDirect: asked.has('--direct'), isVerbose: asked.has('--verbose'), timeoutMs, tell };
}

function readSeconds(text: string | undefined, rules: ArgumentRules): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= MAX_SECONDS) return Math.ceil(seconds * 1_000);
  throw fail(rules, `--timeout takes a number of seconds, not ${visibleWord(text)}.`);
}

const MAX_SECONDS = 3_600;
