import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFrame } from './parse-frame.ts';

const MIB = 2 ** 20;

test('reads everything that JSON.parse reads, in one piece or several', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, cut) => {
      const bytes = Buffer.from(text);
      const at = bytes.length === 0 ? 0 : cut % bytes.length;
      expect(parseFrame([bytes])).toEqual(JSON.parse(text));
      expect(parseFrame([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(JSON.parse(text));
    }),
  );
});

test.each(['', '{', '{"a":1,}', 'Listening on stdio', '[1,2'])('reports invalid JSON: %s', (text) => {
  expect(() => parseFrame([Buffer.from(text)])).toThrow(expect.objectContaining({ code: 'PARSE_FAILED' }));
});

test.each([
  ['unterminated nesting', '['.repeat(2 * MIB)],
  ['terminated nesting', '['.repeat(MIB) + ']'.repeat(MIB)],
  ['nested objects', `${'{"a":'.repeat(MIB)}1${'}'.repeat(MIB)}`],
  ['a million and one objects', `[${'{},'.repeat(1_000_001)}{}]`],
  ['a million and one numbers', `[${'0,'.repeat(1_000_001)}0]`],
  ['nesting after a string with quotes', `["\\\\\\"${'x'.repeat(MIB)}",${'['.repeat(200_000)}`],
])('rejects before parsing: %s', (_, text) => {
  expect(() => parseFrame([Buffer.from(text)])).toThrow(expect.objectContaining({ code: 'MESSAGE_TOO_LARGE' }));
});

test.each([
  ['brackets in a string', JSON.stringify({ text: '[{'.repeat(2 * MIB) })],
  ['commas in a string', JSON.stringify([',\\"'.repeat(2 * MIB)])],
  ['quotes and backslashes', JSON.stringify(['\\'.repeat(MIB), '"'.repeat(MIB), '['.repeat(MIB)])],
  ['fifty thousand levels', `["${'x'.repeat(MIB)}",${'['.repeat(50_000)}${']'.repeat(50_000)}]`],
  ['half a million numbers', `["${'x'.repeat(MIB)}"${',0'.repeat(500_000)}]`],
])('reads what is merely large: %s', (_, text) => {
  expect(() => parseFrame([Buffer.from(text)])).not.toThrow();
});
