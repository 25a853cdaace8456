import fc from 'fast-check';
import { expect, test } from 'vitest';
import { middleOf } from './middle.ts';

test('is that of the numbers in their order, and they stay as they are', () => {
  const some = fc.array(fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, 1, 2)), { maxLength: 300 });
  fc.assert(
    fc.property(some, (numbers) => {
      const before = [...numbers];
      const sorted = numbers.toSorted((a, b) => a - b);
      expect(middleOf(numbers) === sorted[Math.floor((sorted.length - 1) / 2)]).toBe(true);
      expect(numbers).toEqual(before);
    }),
  );
});

test.each([
  [[], undefined],
  [[3], 3],
  [[3, 1], 1],
  [[2, 2, 2], 2],
  [[5, 4, 3, 2, 1], 3],
])('of %j it is %j', (numbers, expected) => {
  expect(middleOf(numbers)).toBe(expected);
});
