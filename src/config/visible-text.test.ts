import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visible, visibleWord } from './visible-text.ts';

describe('text that is shown', () => {
  test.each([
    ['plain ä 漢 😀', 'plain ä 漢 😀'],
    ['\u001b[31mred', '\\u001b[31mred'],
    ['a\nb\r\tc\u0000\u007f\u009b', 'a\\u000ab\\u000d\\u0009c\\u0000\\u007f\\u009b'],
    ['\u202eevil\u2066\u200b\ufeff\u2028', '\\u202eevil\\u2066\\u200b\\ufeff\\u2028'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['\ud800', '\\ud800'],
  ])('%j is shown as %s', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test.each([
    ['npx', 'npx'],
    ['@scope/x@1.2', '@scope/x@1.2'],
    ['', '""'],
    ['two words', '"two words"'],
    ['C:\\x', '"C:\\\\x"'],
    ['$(rm)', '"$(rm)"'],
    ['a"b', '"a\\"b"'],
    ['\u202e', '"\\u202e"'],
  ])('the word %j is shown as %s', (word, shown) => {
    expect(visibleWord(word)).toBe(shown);
  });

  test('of JSON is the same JSON, and nothing unseen is in it', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const shown = visible(JSON.stringify({ text }));
        expect(JSON.parse(shown)).toEqual({ text });
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});

/** Any characters at all, halves of pairs included. */
function anyText(): fc.Arbitrary<string> {
  return fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units));
}
