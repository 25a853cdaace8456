import { expect, test } from 'vitest';
import { setBounded } from './set-bounded.ts';

test('beyond its limit a map loses the entry that was added first; a new value does not make an entry newer', () => {
  const map = new Map<string, number>();
  for (const [index, key] of ['a', 'b', 'a', 'c'].entries()) setBounded(map, key, index, 2);

  expect([...map]).toEqual([
    ['b', 1],
    ['c', 3],
  ]);
});
