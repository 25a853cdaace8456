import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wellFormedJson } from './well-formed-json.ts';

test('replaces a lone surrogate with the replacement character, in keys too', () => {
  const value = { 'a\ud83d': ['\udc00b', '😀', 'plain'] };
  expect(wellFormedJson(JSON.stringify(value))).toBe('{"a\ufffd":["\ufffdb","😀","plain"]}');
});

test('does not treat an escaped backslash as an escape', () => {
  const value = ['\\ud83d', '\\\\ud83d', '\\\ud83d', 'C:\\ud83d\n'];
  expect(JSON.parse(wellFormedJson(JSON.stringify(value)))).toEqual([
    '\\ud83d',
    '\\\\ud83d',
    '\\\ufffd',
    'C:\\ud83d\n',
  ]);
});

test('matches the conversion by Buffer for any text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', '\\', 'u', '"') }),
      (a, b) => {
        const text = a + b;
        expect(JSON.parse(wellFormedJson(JSON.stringify({ text })))).toEqual({ text: Buffer.from(text).toString() });
      },
    ),
  );
});
