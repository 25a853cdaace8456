import { expect, test } from 'vitest';
import { createSignInLimit } from './sign-in-limit.ts';

const HOUR_MS = 3_600_000;

test('allows three sign-ins within an hour', () => {
  let time = 0;
  const limit = createSignInLimit(() => time);
  const reached = [1, 2, 3].map(() => {
    const isReached = limit.isReached();
    limit.add();
    time += 1_000;
    return isReached;
  });
  expect([...reached, limit.isReached()]).toEqual([false, false, false, true]);
  time = HOUR_MS - 1;
  expect(limit.isReached()).toBe(true);
  time = HOUR_MS;
  expect(limit.isReached()).toBe(false);
  limit.add();
  expect(limit.isReached()).toBe(true);
});
