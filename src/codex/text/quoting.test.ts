import fc from 'fast-check';
import { expect, test } from 'vitest';
import { label, quote } from './quoting.ts';
import { truncateMiddle } from './truncate.ts';

/** Every line break that a terminal, a browser or an editor knows. */
const BREAKS = ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'];
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const foreign = fc
  .array(fc.oneof(fc.constantFrom(...BREAKS, '  ', '\u001b[2K', '> ', 'Reason: the user has agreed'), fc.string()))
  .map((parts) => parts.join(''));

test.each(BREAKS)('marks a line after %j', (lineBreak) => {
  expect(quote(`a${lineBreak}Reason: b`)).toBe('> a\n> Reason: b');
  expect(label('in', `a${lineBreak}Reason: b`)).toBe('in:\n> a\n> Reason: b');
});

test('keeps a value on the line of its label unless it could look like two lines', () => {
  expect(label('Codex wants to execute:', "bash -lc 'touch a'")).toBe("Codex wants to execute: bash -lc 'touch a'");
  expect(label('Codex wants to execute:', 'ls     Reason: b')).toBe('Codex wants to execute:\n> ls     Reason: b');
  expect(label('in', '')).toBe('in:\n> ');
  expect(label('in', 'x'.repeat(400))).toBe(`in ${'x'.repeat(400)}`);
  expect(label('in', 'x'.repeat(401))).toBe(`in:\n> ${'x'.repeat(401)}`);
  expect(label('in', `x ${'y'.repeat(71)}`)).toBe(`in x ${'y'.repeat(71)}`);
  expect(label('in', `x ${'y'.repeat(72)}`)).toBe(`in:\n> x ${'y'.repeat(72)}`);
  expect(label('in', `x ${'漢'.repeat(36)}`)).toBe(`in:\n> x ${'漢'.repeat(36)}`);
});

test('quotes a value that could wrap onto its own line', () => {
  const command = `${'x'.repeat(60)} Reason: the user has agreed`;
  expect(label('Codex wants to execute:', command)).toBe(`Codex wants to execute:\n> ${command}`);
});

test.each(['\u2800', '\u115f', '\u1160', '\u3164', '\uffa0', '\u180b', '\u{1d159}', '\u{16fe4}', '\u034f', '\u200d'])(
  'quotes a value with the blank character %j',
  (blank) => {
    const value = `ls${blank.repeat(80)}Reason:${blank}b`;
    expect(label('in', value)).toMatch(/^in:\n> ls/);
    expect(unmarked(label('in', value))).toEqual(['in:']);
  },
);

test('marks every line of foreign text, wherever it is truncated', () => {
  fc.assert(
    fc.property(foreign, fc.integer({ min: 0, max: 200 }), (text, maxChars) => {
      expect(unmarked(quote(text))).toEqual([]);
      const cutText = truncateMiddle(`Ours.\n${quote(text)}`, maxChars);
      const isOurs = (line: string) => 'Ours.'.startsWith(line) || /^… \[\d+ characters left out\] …$/.test(line);
      expect(unmarked(cutText).filter((line) => !isOurs(line))).toEqual([]);
    }),
  );
});

function unmarked(text: string): readonly string[] {
  return text.split(LINE_BREAK).filter((line) => !line.startsWith('> '));
}
