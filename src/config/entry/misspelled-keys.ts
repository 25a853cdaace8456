import { isObject } from '../../wire/messages.ts';
import type { ConfigFile } from '../files/config-file.ts';
import { formatJsonPath, lineOf, membersOf } from '../json/json-value.ts';
import type { ConfigProblem } from '../server-entry.ts';
import { entryKeys } from './entry-keys.ts';

/** Maximum number of reported keys: this many are enough to see what is wrong. */
const MAX_NAMED = 10;

/**
 * Reports keys that are one typo away from a known key, together with that key. A misspelled key has no effect, and the
 * user would not see why. Ignores other unknown keys: a file that several programs read holds keys of all of them.
 */
export function findMisspelledKeys({ source: { layer, file }, servers }: ConfigFile): readonly ConfigProblem[] {
  const known = entryKeys({ layer, file, line: 0 }).flatMap(({ names }) => names);
  const found = servers.flatMap(({ value: entry }) => {
    if (!isObject(entry.content)) return [];
    return membersOf(entry).flatMap(({ key, value }) => {
      const intended = known.includes(key) ? undefined : known.find((name) => isTypo(key, name));
      if (intended === undefined) return [];
      const message = `${formatJsonPath(value)} is not known and has no effect: did you mean "${intended}"?`;
      return [{ file, line: lineOf(value), message }];
    });
  });
  return found.slice(0, MAX_NAMED);
}

/**
 * Returns whether two keys differ only in case, separators, one extra or missing letter, two swapped letters or one
 * wrong letter.
 */
function isTypo(written: string, name: string): boolean {
  const [there, wanted] = withoutCommonEnds(fold(written), fold(name));
  if (there.length + wanted.length <= 1) return true;
  if (there.length !== wanted.length) return false;
  // One wrong letter easily turns a short word into another word: cmd is not cwd.
  if (there.length === 1) return name.length >= MIN_LENGTH_FOR_SUBSTITUTION;
  return there.length === 2 && there[0] === wanted[1] && there[1] === wanted[0];
}

const MIN_LENGTH_FOR_SUBSTITUTION = 5;

function fold(key: string): string {
  return key.toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** Returns what remains of two words without their common beginning and end. */
function withoutCommonEnds(one: string, other: string): readonly [string, string] {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)];
}
