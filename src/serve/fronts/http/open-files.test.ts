import { expect, test } from 'vitest';
import { connectionLimit } from './open-files.ts';

test.each([
  [20_000, undefined, 20_000],
  [20_000, 1_048_576, 20_000],
  [20_000, 1024, 768],
  [100, 1024, 100],
  [20_000, 1, 1],
])('%s connections are wanted, %s files may be open: %s', (wanted, openFiles, limit) => {
  // Undefined would read the limit of this process.
  expect(connectionLimit(wanted, openFiles ?? Number.POSITIVE_INFINITY)).toBe(limit);
});
