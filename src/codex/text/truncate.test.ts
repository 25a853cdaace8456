import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncate, truncateJson, truncateStartJson } from './truncate.ts';

test('keeps text that fits, and reports how much of a longer one is missing', () => {
  expect([truncate('abc', 3), truncate('abcd', 3), truncate('', 0)]).toEqual(['abc', 'abc… [1 more characters]', '']);
  expect(truncate('a😀b', 2)).toBe('a… [2 more characters]');
});

test('counts JSON escapes when it truncates', () => {
  expect(truncateJson('a'.repeat(10), 10)).toBe('a'.repeat(10));
  expect(truncateJson('\n'.repeat(10), 10)).toBe(`${'\n'.repeat(5)}… [5 more characters]`);
});

test('keeps the end of a text, and counts everything that is missing before it', () => {
  expect(truncateStartJson('abc', 3)).toBe('abc');
  expect(truncateStartJson('abcd', 3)).toBe('[1 characters before] …bcd');
  expect(truncateStartJson('abcd', 3, 20)).toBe('[21 characters before] …bcd');
  expect(truncateStartJson('abc', 3, 20)).toBe('[20 characters before] …abc');
});

test('returns a prefix, and exceeds the limit only by the notice', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(100), (text, maxChars) => {
      const [kept = ''] = truncate(text, maxChars).split('… [');
      expect(text.startsWith(kept)).toBe(true);
      expect(truncate(text, maxChars).length).toBeLessThanOrEqual(Math.max(text.length, maxChars + 40));
    }),
  );
});
