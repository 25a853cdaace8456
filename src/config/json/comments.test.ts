import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blankComments } from './comments.ts';

test('comments and last commas become blanks, and nothing moves', () => {
  expect(blankComments('{ // "a": 1,\r\n "b": "// no /* */", /* c\n */ "d": [1, 2, ], }')).toBe(
    '{           \r\n "b": "// no /* */",     \n    "d": [1, 2  ]  }',
  );
});

describe('stays a fault', () => {
  test.each(['[,]', '{,}', '[1,,]', '{"a":,}', ',', '/* no end', '"no end // x', '{} / {}', '"\\'])('%s', (text) => {
    expect(blankComments(text)).toBe(text);
    expect(() => JSON.parse(blankComments(text))).toThrow();
  });
});

test('JSON stays as it is, and no text gets longer or shorter', () => {
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

test('a large hostile text is done before the patience of this test ends', () => {
  for (const piece of ['"\\"', '/*', '//', ', ', '"', '\\', ',}']) {
    const text = piece.repeat(500_000 / piece.length);
    expect(blankComments(text)).toHaveLength(text.length);
  }
});
