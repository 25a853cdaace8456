import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayWidth, padToWidth, truncate } from './width.ts';

describe('widthOf', () => {
  test.each([
    ['', 0],
    ['plain text', 10],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['한국', 4],
    ['✅', 2],
    ['😀', 2],
    ['…→·', 3],
  ])('%j takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe('cutTo', () => {
  test('leaves what fits as it is, and marks what does not', () => {
    expect([
      truncate('12345', 5),
      truncate('123456', 5),
      truncate('12 456', 4),
      truncate('日本語', 4),
      truncate('x', 0),
    ]).toEqual(['12345', '1234…', '12…', '日…', '']);
  });

  test('never gives more than there is room for', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.nat(40),
        (text, width) => displayWidth(truncate(text, width)) <= width,
      ),
    );
  });
});

test('pad fills up to the width, whatever letters take', () => {
  expect([padToWidth('日', 4), padToWidth('abc', 4), padToWidth('abcde', 4)]).toEqual(['日  ', 'abc ', 'abcde']);
});
