import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPage } from './pages.ts';

test('rejects a cursor of another text', () => {
  const { next } = toPage('a'.repeat(20), { maxChars: 10 });
  for (const cursor of [next, 'nonsense', '00000000-3', '-1', `${next}999`])
    expect(() => toPage('b'.repeat(20), { cursor, maxChars: 10 })).toThrow('does not belong to the current text');
});

test('returns text that fits as one page', () => {
  expect(toPage('short', { maxChars: 10 })).toEqual({ text: 'short' });
  expect(toPage('', { maxChars: 10 })).toEqual({ text: '' });
});

test('pages join to the full text, fit their size, and split no surrogate pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 2, max: 40 }), (text, maxChars) => {
      const pages: string[] = [];
      let cursor: string | undefined;
      do {
        const page = toPage(text, { cursor, maxChars });
        pages.push(page.text);
        cursor = page.next;
      } while (cursor !== undefined && pages.length < 1000);
      expect(pages.join('')).toBe(text);
      expect(pages.every((page) => !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(page))).toBe(true);
      expect(pages.every((page) => page.length <= 2 || JSON.stringify(page).length - 2 <= maxChars)).toBe(true);
    }),
  );
});
