import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { type ArgumentRules, type Arguments, usageError } from './parse-arguments.ts';

const MAX_SECONDS = 3_600;

/** Parses the value of `--timeout` into milliseconds. */
export function parseTimeout(text: string | undefined, rules: ArgumentRules): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= MAX_SECONDS) return Math.ceil(seconds * 1_000);
  throw usageError(rules, `--timeout takes a number of seconds, not ${quoteIfNeeded(text)}.`);
}

/** Returns the value of an option that takes one of these words. */
export function parseChoice<Word extends string>(
  parsed: Arguments,
  name: string,
  { words, rules }: { readonly words: readonly Word[]; readonly rules: ArgumentRules },
): Word | undefined {
  const value = parsed.value(name);
  const found = words.find((word) => word === value);
  if (value === undefined || found !== undefined) return found;
  throw usageError(rules, `${name} must be ${words.join(' or ')}, not ${quoteIfNeeded(value)}.`);
}
