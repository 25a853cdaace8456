import { isObject } from '../../wire/messages.ts';
import type { ConfigFile } from '../files/config-file.ts';
import { formatJsonPath, lineOf, membersOf } from '../json/json-value.ts';
import type { ConfigProblem } from '../server-entry.ts';
import { entryKeys } from './entry-keys.ts';

/** So many are enough to see what is wrong. */
const MAX_NAMED = 10;

/**
 * Keys of entries that are one slip away from one that we know, each with that one. A slip has no effect, and whoever
 * made it would not see why. Others are passed over: a file that several programs read holds keys of all of them.
 */
export function findMisspeltKeys({ source: { layer, file }, servers }: ConfigFile): readonly ConfigProblem[] {
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

/** The same but for case and signs between words, one letter too many or too few, two in each other's place, or a wrong one. */
function isTypo(written: string, name: string): boolean {
  const [there, wanted] = withoutCommonEnds(fold(written), fold(name));
  if (there.length + wanted.length <= 1) return true;
  if (there.length !== wanted.length) return false;
  // With one wrong letter a short word is soon another one: cmd is not cwd.
  if (there.length === 1) return name.length >= MIN_LENGTH_FOR_SUBSTITUTION;
  return there.length === 2 && there[0] === wanted[1] && there[1] === wanted[0];
}

const MIN_LENGTH_FOR_SUBSTITUTION = 5;

function fold(key: string): string {
  return key.toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** What is left of two words where they differ. */
function withoutCommonEnds(one: string, other: string): readonly [string, string] {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)];
}
