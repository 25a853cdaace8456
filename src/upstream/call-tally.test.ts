import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallTally } from './call-tally.ts';

test('before the first call there is nothing to tell', () => {
  const tally = createCallTally();
  expect([tally.calls, tally.p50Ms()]).toEqual([0, undefined]);
});

test('the middle is that of the latest calls, in whatever order they came', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 400 }), (times) => {
      const tally = createCallTally();
      for (const time of times) tally.answered(time);
      const latest = times.slice(-128).toSorted((a, b) => a - b);
      expect([tally.calls, tally.p50Ms()]).toEqual([times.length, latest[Math.floor((latest.length - 1) / 2)]]);
    }),
  );
});
