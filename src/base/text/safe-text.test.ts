import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { needsNeutralizing, neutralize, oneLine } from './safe-text.ts';

const BUDGET = propertyRuns(500);

/** Text in which special characters are as likely as letters. */
const oddText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'\u001b\u009b\u009d\u0090\u009c\u0007[]\\;m0 \r\n\t\u0085\u2028\u200c\u200d\u200b\u202e'),
      fc.constantFrom('\u{e0041}', '\u{e0100}', '\ud800', '\udc00', '\udb40', '\udc41', '\ufe0f', '\ufeff', '  '),
      fc.string({ unit: 'binary', maxLength: 2 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('neutralize', () => {
  test.each([
    ['colors', '\u001b[31mred\u001b[0m', 'red'],
    ['colors with an 8-bit introducer', '\u009b31mred', 'red'],
    ['a clipboard write', 'a\u001b]52;c;cm0gLXJm\u0007b', 'ab'],
    ['a hyperlink, but not its text', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['an 8-bit control string', 'a\u009d0;title\u009cb', 'ab'],
    ['a device control string', 'a\u001bPq#0\u001b\\b', 'ab'],
    ['a character set selection', '\u001b(Babc\u001bc', 'abc'],
    ['the introducer of an unterminated sequence', 'a\u001b]52;c', 'a52;c'],
    ['control characters', 'a\u0000b\u0007c\u007fd\u0085e', 'abcd e'],
    ['bidirectional controls', 'bidi\u202egnp.exe\u2066\u2069\u061c', 'bidignp.exe'],
    ['tag characters', 'Adds\u{e0001}\u{e0072}\u{e006d} numbers', 'Adds numbers'],
    ['variation selectors that carry text', 'a\u{e0100}\u{e01ef}\ufe00b', 'ab'],
    ['zero-width characters', 'ig\u200bn\u00ado\u2060r\ufeffe\u180e', 'ignore'],
    ['interlinear annotations', '\ufff9a\ufffab\ufffb', 'ab'],
    ['musical format controls', '\u{1d173}a\u{1d17a}', 'a'],
  ])('removes %s', (_, text, plain) => {
    expect(neutralize(text)).toBe(plain);
  });

  test.each([
    ['emoji with joiners and variation selectors', '👩‍💻 ❤️ 1️⃣'],
    ['Persian with a zero-width non-joiner', 'می‌خواهم'],
    ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠋'],
    ['old Hangul', '\u115f\u1161'],
    ['combining accents', 'e\u0301'],
    ['a lone surrogate', 'a\ud800b'],
  ])('leaves %s alone', (_, text) => {
    expect(neutralize(text)).toBe(text);
  });

  test('collapses a line break to one space, or keeps it with multiline', () => {
    const text = 'a\r\n\r\n\tb\u2028c';
    expect(neutralize(text)).toBe('a b c');
    expect(neutralize(text, { multiline: true })).toBe('a\r\n\r\n\tb\nc');
  });

  test('removes a carriage return that would overwrite its line', () => {
    expect(neutralize('harmful\rharmless\r\nnext\r', { multiline: true })).toBe('harmfulharmless\r\nnext');
  });

  test.each([
    ['a zero-width character', '\udb40\u200b\udc41'],
    ['an escape sequence', '\udb40\u001b[0m\udc41'],
    ['another such character', '\udb40\udb40\udb40\udc41\udc41\udc41'],
    ['a musical format control after plain text', 'ab\udb40\udb40\u{1d173}\udc41\udc41'],
  ])('removes a character whose halves meet when %s between them is removed', (_, text) => {
    expect(neutralize(text)).toBe(text.startsWith('ab') ? 'ab' : '');
    expect(oneLine(text, 2)).toBe(text.startsWith('ab') ? 'ab' : '');
  });

  test('matches repeated removal by patterns', () => {
    fc.assert(
      fc.property(oddText, fc.boolean(), (text, multiline) => {
        expect(neutralize(text, { multiline })).toBe(neutralizeByPatterns(text, multiline));
      }),
      BUDGET,
    );
  });

  test('is idempotent, and needsNeutralizing is true exactly when the text changes', () => {
    fc.assert(
      fc.property(oddText, fc.boolean(), (text, multiline) => {
        const once = neutralize(text, { multiline });
        expect(needsNeutralizing(once, { multiline })).toBe(false);
        expect(neutralize(once, { multiline })).toBe(once);
        expect(needsNeutralizing(text, { multiline })).toBe(once !== text);
      }),
      BUDGET,
    );
  });

  test('removes every default-ignorable character except the listed ones', () => {
    const kept: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const isHidden = /[\p{Default_Ignorable_Code_Point}\p{Cc}\ufff9-\ufffb\u2028\u2029]/u.test(character);
      if (isHidden && !needsNeutralizing(character)) kept.push(code.toString(16));
      if (!isHidden && needsNeutralizing(character)) throw new Error(`U+${code.toString(16)} is taken out`);
    }
    expect(kept).toEqual(['115f', '1160', '180b', '180c', '180d', '180f', '200c', '200d', 'fe0e', 'fe0f']);
  });

  // Restarting at every part would take minutes, and the test would time out.
  test.each([
    ['\u001b]', ''],
    ['\u009d', ''],
    ['\u001b[', ''],
    ['\u009b0', '0'],
    ['\u001b ', ' '],
    ['\u0090\u001b', ''],
    ['\r', ''],
    ['\u{e0041}', ''],
  ])('processes a flood of %j in one pass', (part, rest) => {
    const times = 500_000;
    expect(neutralize(part.repeat(times), { multiline: true }) === rest.repeat(times)).toBe(true);
  });
});

/** A slow but readable reference implementation of `neutralize`. */
function neutralizeByPatterns(text: string, multiline: boolean): string {
  const sequences = new RegExp(
    [
      String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
      String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009b-\u009f]*(?:\u0007|\u001b\\|\u009c)`,
      String.raw`\u001b[ -/]*[0-~]`,
    ].join('|'),
    'g',
  );
  const controls = String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f`;
  const bidi = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
  const invisible = String.raw`\u00ad\u034f\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb`;
  const pairs = String.raw`\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`;
  const hidden = new RegExp(String.raw`[${controls}${bidi}${invisible}${pairs}]|\r(?!\n)`, 'gu');
  const plain = text.replace(sequences, '');
  const lines = multiline ? plain.replace(/[\u2028\u2029]/g, '\n') : plain.replace(/[\t\n\r\u0085\u2028\u2029]+/g, ' ');
  const seen = lines.replace(hidden, '');
  return seen === text ? seen : neutralizeByPatterns(seen, multiline);
}

describe('oneLine', () => {
  test('returns one line without leading or trailing blanks', () => {
    expect(oneLine('  two \n\n lines\u001b[2J\t ')).toBe('two lines');
  });

  test('truncates with an ellipsis, never in the middle of a character', () => {
    expect(oneLine('abcdef', 6)).toBe('abcdef');
    expect(oneLine('abcdefg', 6)).toBe('abcde…');
    expect(oneLine('abcd😀fg', 6)).toBe('abcd…');
  });

  test.each([1, 0, -1, -1000])('returns an ellipsis even for a limit of %i', (maxLength) => {
    expect([oneLine('abc', maxLength), oneLine('abc'.repeat(1000), maxLength)]).toEqual(['…', '…']);
  });

  test('truncates a long text to the start of its full line', () => {
    fc.assert(
      fc.property(oddText, oddText, fc.nat(300), fc.integer({ min: 1, max: 40 }), (part, end, times, maxLength) => {
        const text = part.repeat(times) + end;
        const line = neutralizeByPatterns(text, false).replace(/\s+/g, ' ').trim();
        const beginning = line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '');
        expect(oneLine(text, maxLength)).toBe(line.length <= maxLength ? line : `${beginning}…`);
      }),
      BUDGET,
    );
  });

  test('skips blanks and hidden characters until other text follows', () => {
    expect(oneLine(`${' \u00a0\u200b\n'.repeat(100_000)}word${' '.repeat(100_000)}`, 10)).toBe('word');
  });
});
