import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNamePattern } from './name-pattern.ts';

test('a pattern without wildcards matches anywhere and ignores case', () => {
  const matches = createNamePattern('Issue');
  expect([['github.create_issue'], ['x', 'An ISSUE'], ['x'], []].map(matches)).toEqual([true, true, false, false]);
});

test.each([
  ['git*.get-?', 'github.get-a', true],
  ['git*.get-?', 'github.get-ab', false],
  ['*sum', 'a.get-sum', true],
  ['*sum', 'a.get-sums', false],
  ['a*b*c', 'aXbXbXc', true],
  ['*', '', true],
  ['?', '', false],
  ['a.c*', 'abc', false],
  ['(*', '(x', true],
])('%s matches all of %j: %s', (pattern, text, isMatch) => {
  expect(createNamePattern(pattern)([text])).toBe(isMatch);
});

test('wildcards match like the equivalent regular expression', () => {
  const letters = (signs: string) => fc.string({ unit: fc.constantFrom(...signs), maxLength: 8 });
  fc.assert(
    fc.property(letters('ab*?'), letters('ab'), (some, text) => {
      const glob = `${some}*`;
      const same = new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
      expect(createNamePattern(glob)([text])).toBe(same.test(text));
    }),
  );
});

test('many wildcards match against a long name in little time', () => {
  expect(createNamePattern(`${'*a'.repeat(500)}b`)(['a'.repeat(1_000)])).toBe(false);
});
