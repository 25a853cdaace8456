import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBackoff } from './backoff.ts';

/** A clock that the test advances, and no jitter. */
function open({ random = 0.5 }: { random?: number } = {}) {
  let now = 0;
  const backOff = createBackoff({ now: () => now, random: () => random });
  return { backOff, wait: (ms: number) => (now += ms) };
}

test('restarts immediately the first time, then doubles the delay up to a limit', () => {
  const { backOff } = open();
  const pauses = Array.from({ length: 10 }, () => backOff.failed());
  expect(pauses).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test('varies a delay randomly by up to a quarter', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(random, fc.integer({ min: 2, max: 12 }), (luck, falls) => {
      const { backOff } = open({ random: luck });
      const plain = Math.min(500 * 2 ** (falls - 2), 30_000);
      const pauses = Array.from({ length: falls }, () => backOff.failed());
      expect(pauses[0]).toBe(0);
      expect(pauses.at(-1)).toBeGreaterThanOrEqual(plain * 0.75);
      expect(pauses.at(-1)).toBeLessThanOrEqual(plain * 1.25);
    }),
  );
});

test('resets the delay after recovery', () => {
  const { backOff } = open();
  expect([backOff.failed(), backOff.failed(), backOff.failed()]).toEqual([0, 500, 1_000]);
  backOff.recovered();
  expect([backOff.failed(), backOff.failed()]).toEqual([0, 500]);
});

test('opens the circuit after five failures within a minute, and closes it when they expire', () => {
  const { backOff, wait } = open();
  for (let falls = 1; falls <= 4; falls++) {
    backOff.failed();
    wait(10_000);
    expect(backOff.isCircuitOpen()).toBe(false);
  }
  backOff.failed();
  expect(backOff.isCircuitOpen()).toBe(true);
  wait(19_999);
  expect(backOff.isCircuitOpen()).toBe(true);
  wait(1);
  expect(backOff.isCircuitOpen()).toBe(false);
});

test('counts failures across recoveries', () => {
  const { backOff } = open();
  for (let falls = 1; falls <= 5; falls++) {
    backOff.failed();
    backOff.recovered();
  }
  expect(backOff.isCircuitOpen()).toBe(true);
});
