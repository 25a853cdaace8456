import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blankComments } from './comments.ts';

test('replaces comments and trailing commas with blanks, at the same offsets', () => {
  expect(blankComments('{ // "a": 1,\r\n "b": "// no /* */", /* c\n */ "d": [1, 2, ], }')).toBe(
    '{           \r\n "b": "// no /* */",     \n    "d": [1, 2  ]  }',
  );
});

describe('keeps syntax errors', () => {
  test.each(['[,]', '{,}', '[1,,]', '{"a":,}', ',', '/* no end', '"no end // x', '{} / {}', '"\\'])('%s', (text) => {
    expect(blankComments(text)).toBe(text);
    expect(() => JSON.parse(blankComments(text))).toThrow();
  });
});

test('leaves JSON unchanged, and keeps the length of any text', () => {
  fc.assert(fc.property(fc.json(), (json) => void expect(blankComments(json)).toBe(json)));
  const parts = fc.array(fc.constantFrom('"', '\\', '/', '*', ',', '{', '}', '[', ']', '\n', ' ', 'a', '😀'));
  fc.assert(
    fc.property(parts, (list) => {
      const text = list.join('');
      expect(blankComments(text)).toHaveLength(text.length);
      expect(blankComments(text).split('\n')).toHaveLength(text.split('\n').length);
    }),
  );
});

test('processes a large hostile text within the test timeout', () => {
  for (const piece of ['"\\"', '/*', '//', ', ', '"', '\\', ',}']) {
    const text = piece.repeat(500_000 / piece.length);
    expect(blankComments(text)).toHaveLength(text.length);
  }
});
