import { describe, expect, test } from 'vitest';
import { copyNeutralized, findUnsafeFrom } from './neutralized-copy.ts';

describe('a length-limited copy', () => {
  test('reads no further than it needs', () => {
    const unread = 'b'.repeat(1000);
    expect(copyNeutralized(`aa\u200ba${unread}`, { multiline: true, from: 0, maxLength: 3 })).toEqual({
      text: 'aaa',
      isComplete: false,
    });
  });

  test('skips any number of hidden characters', () => {
    const text = `${'\u{e0041}\u202e\u001b[0m'.repeat(10_000)}abc`;
    expect(copyNeutralized(text, { multiline: true, from: 0, maxLength: 2 })).toEqual({
      text: 'ab',
      isComplete: false,
    });
    expect(copyNeutralized(text, { multiline: true, from: 0, maxLength: 4 })).toEqual({
      text: 'abc',
      isComplete: true,
    });
  });
});

test('removes every pair that forms when characters between its halves are removed', () => {
  const count = 100_000;
  const text = `a${'\udb40'.repeat(count)}\u200b${'\udc41'.repeat(count)}b`;
  expect(copyNeutralized(text, { multiline: false, from: 0 })).toEqual({ text: 'ab', isComplete: true });
});

describe('the first unsafe position', () => {
  test.each([
    ['plain', true, -1],
    ['日本\r\n語 😀\u200d', true, -1],
    ['日本\n', false, 2],
    ['日\r本', true, 1],
    ['a\u2028', true, 1],
    ['é\u{e0041}', true, 1],
    ['é\udc41', true, -1],
  ])('of %j with multiline %j is %i', (text, multiline, place) => {
    expect(findUnsafeFrom(text, 0, { multiline })).toBe(place);
  });
});
