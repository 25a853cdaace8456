import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFrame } from './parse-frame.ts';

const MIB = 2 ** 20;

test('whatever JSON.parse reads is read, in one piece or several', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, cut) => {
      const bytes = Buffer.from(text);
      const at = bytes.length === 0 ? 0 : cut % bytes.length;
      expect(parseFrame([bytes])).toEqual(JSON.parse(text));
      expect(parseFrame([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(JSON.parse(text));
    }),
  );
});

test.each(['', '{', '{"a":1,}', 'Listening on stdio', '[1,2'])('what is no JSON says so: %s', (text) => {
  expect(() => parseFrame([Buffer.from(text)])).toThrow(expect.objectContaining({ code: 'PARSE_FAILED' }));
});

test.each([
  ['levels without an end', '['.repeat(2 * MIB)],
  ['levels with one', '['.repeat(MIB) + ']'.repeat(MIB)],
  ['objects in each other', `${'{"a":'.repeat(MIB)}1${'}'.repeat(MIB)}`],
  ['a million and one objects', `[${'{},'.repeat(1_000_001)}{}]`],
  ['a million and one numbers', `[${'0,'.repeat(1_000_001)}0]`],
  ['levels behind a string with quotes in it', `["\\\\\\"${'x'.repeat(MIB)}",${'['.repeat(200_000)}`],
])('what would cost too much is refused before it is parsed: %s', (_, text) => {
  expect(() => parseFrame([Buffer.from(text)])).toThrow(expect.objectContaining({ code: 'MESSAGE_TOO_LARGE' }));
});

test.each([
  ['brackets in a string', JSON.stringify({ text: '[{'.repeat(2 * MIB) })],
  ['commas in a string', JSON.stringify([',\\"'.repeat(2 * MIB)])],
  ['quotes and backslashes', JSON.stringify(['\\'.repeat(MIB), '"'.repeat(MIB), '['.repeat(MIB)])],
  ['fifty thousand levels', `["${'x'.repeat(MIB)}",${'['.repeat(50_000)}${']'.repeat(50_000)}]`],
  ['half a million numbers', `["${'x'.repeat(MIB)}"${',0'.repeat(500_000)}]`],
])('what is merely large is read: %s', (_, text) => {
  expect(() => parseFrame([Buffer.from(text)])).not.toThrow();
});
