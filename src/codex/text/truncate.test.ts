import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncate, truncateJson } from './truncate.ts';

test('a text that fits stays as it is; of a longer one it is said how much is missing', () => {
  expect([truncate('abc', 3), truncate('abcd', 3), truncate('', 0)]).toEqual(['abc', 'abc… [1 more characters]', '']);
  expect(truncate('a😀b', 2)).toBe('a… [2 more characters]');
});

test('what JSON makes longer is cut shorter', () => {
  expect(truncateJson('a'.repeat(10), 10)).toBe('a'.repeat(10));
  expect(truncateJson('\n'.repeat(10), 10)).toBe(`${'\n'.repeat(5)}… [5 more characters]`);
});

test('nothing is invented, and nothing grows beyond its limit but for what says so', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(100), (text, maxChars) => {
      const [kept = ''] = truncate(text, maxChars).split('… [');
      expect(text.startsWith(kept)).toBe(true);
      expect(truncate(text, maxChars).length).toBeLessThanOrEqual(Math.max(text.length, maxChars + 40));
    }),
  );
});
