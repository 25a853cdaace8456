import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { nearestNames } from './nearest-names.ts';

const KNOWN = [
  'fs__read_file',
  'fs__write_file',
  'fs__list_directory',
  'web__search',
  'db__read-file',
  'brave__web_search',
];

test.each([
  ['different case and separators', 'FS__Read-File', ['fs__read_file']],
  ['a typo', 'fs__raed_file', ['fs__read_file']],
  ['a missing prefix', 'list_directory', ['fs__list_directory']],
  ['an extra client prefix', 'mcp__gw__fs__write_file', ['fs__write_file']],
  ['the wrong server', 'files__list_directory', ['fs__list_directory']],
  ['part of a name', 'director', ['fs__list_directory']],
])('ranks the intended name first for %s', (_, wanted, expected) => {
  expect(nearestNames(wanted, KNOWN).slice(0, 1)).toEqual(expected);
});

test('counts a transposition as one edit', () => {
  expect(nearestNames('tset', ['get', 'list', 'test'])).toEqual(['test', 'get']);
  expect(nearestNames('lits', ['list', 'lots'])).toEqual(['list', 'lots']);
  // Three edits are too many for a word this short. These are two.
  expect(nearestNames('snedto', ['send_to', 'sendot'])).toEqual(['send_to', 'sendot']);
});

test('returns at most three names, nearest first, ties in input order', () => {
  const known = ['a__file_2', 'a__file_1', 'b__file_1', 'c__file_1', 'd__file_1', 'FILE-1'];
  expect(nearestNames('file_1', known)).toEqual(['FILE-1', 'a__file_1', 'b__file_1']);
  expect(nearestNames('file_1', known, 1)).toEqual(['FILE-1']);
});

test.each([
  ['no name is similar', 'zzzzzzzz'],
  ['the name is empty', ''],
  ['the name is too long', 'fs__read_file'.repeat(1000)],
])('suggests nothing when %s', (_, wanted) => {
  expect(nearestNames(wanted, KNOWN)).toEqual([]);
});

test('suggestions within two edits agree with the full edit distance', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_'), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(name, fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), (wanted, known) => {
      const plain = known.filter((one) => !one.includes('__'));
      fc.pre(!wanted.includes('__') && plain.length > 0);
      const slips = plain.map((one) => editDistance(wanted, one));
      const least = Math.min(...slips);
      const [best] = nearestNames(wanted, plain);
      if (least <= Math.min(8, Math.ceil(wanted.length / 3))) expect(best).toBe(plain[slips.indexOf(least)]);
    }),
    propertyRuns(500),
  );
});

test('searches ten thousand long, nearly identical names', () => {
  const known = Array.from({ length: 10_000 }, (_, index) => `server__${'ab'.repeat(25)}${index}`);
  expect(nearestNames(`server__${'ba'.repeat(25)}x`, known)).toEqual(known.slice(0, 3));
});

/** Reference implementation of the edit distance: insertions, deletions, substitutions and adjacent swaps. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const at = (line: number, column: number) => rows[line]?.[column] ?? 0;
  for (let line = 1; line <= a.length; line++) {
    rows[line] = [line];
    for (let column = 1; column <= b.length; column++) {
      const same = a[line - 1] === b[column - 1] ? 0 : 1;
      const isSwap = line > 1 && column > 1 && a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1];
      const swapped = isSwap ? at(line - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      const added = Math.min(at(line - 1, column), at(line, column - 1)) + 1;
      rows[line]?.push(Math.min(at(line - 1, column - 1) + same, added, swapped));
    }
  }
  return at(a.length, b.length);
}
