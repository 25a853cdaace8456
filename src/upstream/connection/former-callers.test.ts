import { expect, test } from 'vitest';
import { createFormerCallers } from './former-callers.ts';

test('a client counts as a caller for two seconds after its last cancelled call', () => {
  let now = 0;
  const callers = createFormerCallers(() => now);
  const [left, right] = [{}, {}];
  callers.add(left);
  callers.add(undefined);
  now = 1_000;
  callers.add(right);
  expect(callers.all()).toEqual([left, right]);
  now = 2_000;
  expect(callers.all()).toEqual([right]);
  now = 3_000;
  expect(callers.all()).toEqual([]);
});

test('at most 1000 clients are remembered', () => {
  const callers = createFormerCallers(() => 0);
  for (let count = 0; count < 1_100; count++) callers.add({});
  expect(callers.all()).toHaveLength(1_000);
});
