import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncate, truncateJson } from './truncate.ts';

test('keeps text that fits, and reports how much of a longer one is missing', () => {
  expect([truncate('abc', 3), truncate('abcd', 3), truncate('', 0)]).toEqual(['abc', 'abc… [1 more characters]', '']);
  expect(truncate('a😀b', 2)).toBe('a… [2 more characters]');
});

test('counts JSON escapes when it truncates', () => {
  expect(truncateJson('a'.repeat(10), 10)).toBe('a'.repeat(10));
  expect(truncateJson('\n'.repeat(10), 10)).toBe(`${'\n'.repeat(5)}… [5 more characters]`);
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
