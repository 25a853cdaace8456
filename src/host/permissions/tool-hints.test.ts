import { expect, test } from 'vitest';
import { HINTS, hintValue, readHints } from './tool-hints.ts';

test.each([undefined, null, 'yes', ['readOnlyHint'], { readOnlyHint: 'true', destructiveHint: 1, other: true }])(
  '%j has no hints',
  (annotations) => {
    expect(readHints(annotations)).toEqual({});
  },
);

test('reads only known hints', () => {
  expect(readHints({ title: 'x', readOnlyHint: true, openWorldHint: false })).toEqual({
    readOnlyHint: true,
    openWorldHint: false,
  });
});

test('assumes the worst for a tool without hints', () => {
  expect(HINTS.map((hint) => hintValue({}, hint))).toEqual([false, true, false, true]);
  expect(hintValue({ readOnlyHint: true }, 'destructiveHint')).toBe(false);
  expect(hintValue({ readOnlyHint: true, destructiveHint: true }, 'destructiveHint')).toBe(true);
});
