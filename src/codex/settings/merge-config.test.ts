import { expect, test } from 'vitest';
import { mergeConfig } from './merge-config.ts';

test('merges tables, replaces everything else, and modifies nothing in place', () => {
  const below = { a: { b: 1, c: 2 }, d: [1], e: { f: 1 } };
  const above = { a: { c: 3, d: 4 }, d: [2], e: 'text' };

  expect(mergeConfig(below, above)).toEqual({ a: { b: 1, c: 3, d: 4 }, d: [2], e: 'text' });
  expect(below).toEqual({ a: { b: 1, c: 2 }, d: [1], e: { f: 1 } });
});
