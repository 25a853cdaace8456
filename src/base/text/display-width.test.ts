import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clipToWidth, displayWidth, maxDisplayWidth, padToWidth, truncateToWidth } from './display-width.ts';

describe('displayWidth', () => {
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

describe('truncateToWidth', () => {
  test('keeps text that fits, and marks truncated text', () => {
    expect([
      truncateToWidth('12345', 5),
      truncateToWidth('123456', 5),
      truncateToWidth('12 456', 4),
      truncateToWidth('日本語', 4),
      truncateToWidth('x', 0),
    ]).toEqual(['12345', '1234…', '12…', '日…', '']);
  });

  test('never exceeds the width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.nat(40),
        (text, width) => displayWidth(truncateToWidth(text, width)) <= width,
      ),
    );
  });
});

test('padToWidth pads to the display width', () => {
  expect([padToWidth('日', 4), padToWidth('abc', 4), padToWidth('abcde', 4)]).toEqual(['日  ', 'abc ', 'abcde']);
});

test('a clip has no mark, and never half a wide character', () => {
  expect([clipToWidth('12345', 3), clipToWidth('日本語', 5), clipToWidth('x', 0)]).toEqual(['123', '日本', '']);
});

test('the largest possible width counts every character beyond ASCII as wide', () => {
  expect([maxDisplayWidth('plain'), maxDisplayWidth('é…'), maxDisplayWidth('😀')]).toEqual([5, 4, 2]);
});
