import { expect, test } from 'vitest';
import { badgesOf } from './annotation-badges.ts';

test('returns a badge only for explicit hints', () => {
  const annotations = {
    readOnlyHint: 'yes',
    destructiveHint: 1,
    idempotentHint: false,
    openWorldHint: null,
    title: 'x',
  };
  expect([undefined, null, 'read-only', [], annotations].map(badgesOf)).toEqual([[], [], [], [], []]);
});

test('returns badges in a fixed order, even if they contradict each other', () => {
  const all = { openWorldHint: true, idempotentHint: true, destructiveHint: true, readOnlyHint: true };
  expect(badgesOf(all)).toEqual(['read-only', 'destructive', 'idempotent', 'open-world']);
  expect(badgesOf({ openWorldHint: true, destructiveHint: true })).toEqual(['destructive', 'open-world']);
});
