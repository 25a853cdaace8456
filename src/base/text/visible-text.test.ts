import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { escapeInvisible, quoteIfNeeded } from './visible-text.ts';

describe('escaped text', () => {
  test.each([
    ['plain ä 漢 😀', 'plain ä 漢 😀'],
    ['\u001b[31mred', '\\u001b[31mred'],
    ['a\nb\r\tc\u0000\u007f\u009b', 'a\\u000ab\\u000d\\u0009c\\u0000\\u007f\\u009b'],
    ['\u202eevil\u2066\u200b\ufeff\u2028', '\\u202eevil\\u2066\\u200b\\ufeff\\u2028'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['\ud800', '\\ud800'],
  ])('%j is shown as %s', (text, shown) => {
    expect(escapeInvisible(text)).toBe(shown);
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
    expect(quoteIfNeeded(word)).toBe(shown);
  });

  test('of JSON parses to the same value and has no invisible characters', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const shown = escapeInvisible(JSON.stringify({ text }));
        expect(JSON.parse(shown)).toEqual({ text });
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});

describe('a long text', () => {
  const LONG = 100_000;

  test('is escaped like its parts', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        // A lone surrogate at the end of one part would pair up with the next part.
        const part = `a${text}b`;
        const times = Math.ceil(LONG / part.length);
        expect(escapeInvisible(part.repeat(times)) === escapeInvisible(part).repeat(times)).toBe(true);
      }),
      propertyRuns(100),
    );
  });

  test.each(['\u200b', '\u{e0041}', '\ud800', 'a\u202e', '\u001b'])('full of %j is escaped completely', (part) => {
    expect(escapeInvisible(part.repeat(LONG)) === escapeInvisible(part).repeat(LONG)).toBe(true);
  });

  test('without invisible characters is unchanged', () => {
    expect(escapeInvisible('漢😀'.repeat(LONG)) === '漢😀'.repeat(LONG)).toBe(true);
  });
});

/** Any characters, including lone surrogates. */
function anyText(): fc.Arbitrary<string> {
  return fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units));
}

test.each([0xfe00, 0xfe0d, 0x34f, 0x3164, 0xffa0, 0x115f, 0x180b, 0x2065, 0xe0100, 0xe01ef, 0xe0fff])(
  'U+%s is invisible and gets escaped',
  (code) => {
    const shown = escapeInvisible(`a${String.fromCodePoint(code)}b`);
    expect(shown).toMatch(/^a(?:\\u[\da-f]{4}){1,2}b$/);
    expect(JSON.parse(`"${shown}"`)).toBe(`a${String.fromCodePoint(code)}b`);
  },
);

test('keeps emoji and their selectors readable', () => {
  expect(escapeInvisible('\u2764\ufe0f')).toBe('\u2764\ufe0f');
});
