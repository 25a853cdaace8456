import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPage } from './pages.ts';

test('a cursor of another text is refused', () => {
  const { next } = toPage('a'.repeat(20), { maxChars: 10 });
  for (const cursor of [next, 'nonsense', '00000000-3', '-1', `${next}999`])
    expect(() => toPage('b'.repeat(20), { cursor, maxChars: 10 })).toThrow('does not belong to the current text');
});

test('a text that fits is one page', () => {
  expect(toPage('short', { maxChars: 10 })).toEqual({ text: 'short' });
  expect(toPage('', { maxChars: 10 })).toEqual({ text: '' });
});

test('the pages joined are the text, each within its size, and no pair of surrogates is split', () => {
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
