import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallStats } from './call-stats.ts';

test('has no statistics before the first call', () => {
  const tally = createCallStats();
  expect([tally.calls, tally.p50Ms()]).toEqual([0, undefined]);
});

test('counts a call that was pending when the server sent a request, but not its time', () => {
  let now = 0;
  const tally = createCallStats(() => now);
  const call = (from: number, to: number) => {
    now = to;
    tally.record(to - from);
  };
  call(0, 10);
  now = 20;
  tally.ignorePendingTimings();
  // The call with the question, and a concurrent one that started earlier.
  call(12, 40_000);
  call(20, 40_000);
  expect([tally.calls, tally.p50Ms()]).toEqual([3, 10]);
  call(21, 51);
  call(40_000, 40_030);
  expect([tally.calls, tally.p50Ms()]).toEqual([5, 30]);
});

test('has no median if every call had a server request', () => {
  let now = 0;
  const tally = createCallStats(() => now);
  for (let turn = 0; turn < 300; turn++) {
    now += 5;
    tally.ignorePendingTimings();
    now += 5;
    tally.record(10);
  }
  expect([tally.calls, tally.p50Ms()]).toEqual([300, undefined]);
});

test('the median covers the latest calls, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 400 }), (times) => {
      const tally = createCallStats();
      for (const time of times) tally.record(time);
      const latest = times.slice(-128).toSorted((a, b) => a - b);
      const middle = latest[Math.floor((latest.length - 1) / 2)] ?? Number.NaN;
      expect([tally.calls, tally.p50Ms()]).toEqual([times.length, Math.round(middle * 10) / 10]);
    }),
  );
});
