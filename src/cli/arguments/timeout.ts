import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { type ArgumentRules, usageError } from './parse-arguments.ts';

const MAX_SECONDS = 3_600;

/** Parses the value of `--timeout` into milliseconds. */
export function parseTimeout(text: string | undefined, rules: ArgumentRules): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= MAX_SECONDS) return Math.ceil(seconds * 1_000);
  throw usageError(rules, `--timeout takes a number of seconds, not ${quoteIfNeeded(text)}.`);
}
