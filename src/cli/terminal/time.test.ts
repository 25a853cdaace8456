import { expect, test } from 'vitest';
import { formatCallTime, formatDuration, formatTimestamp } from './time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test.each([
  [-5, 'under a minute'],
  [0, 'under a minute'],
  [MINUTE - 1, 'under a minute'],
  [MINUTE, '1 min'],
  [HOUR - 1, '59 min'],
  [HOUR, '1 h'],
  [47 * HOUR, '47 h'],
  [48 * HOUR, '2 days'],
])('formats %i ms as %j', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

test('formats a timestamp with its distance from now', () => {
  const at = new Date(2026, 10, 6, 9, 5, 3).getTime();
  expect([
    formatTimestamp(at, at + 3 * MINUTE),
    formatTimestamp(at, at - HOUR),
    formatTimestamp(Number.NaN, at),
  ]).toEqual(['2026-11-06 09:05:03 (3 min ago)', '2026-11-06 09:05:03 (in 1 h)', 'at an unknown time']);
});

test.each([
  [0, '0 ms'],
  [0.42, '0.4 ms'],
  [12.4, '12 ms'],
  [1_240, '1.2 s'],
  [31_400, '31 s'],
])('formats a call time of %d ms as %j', (ms, words) => {
  expect(formatCallTime(ms)).toBe(words);
});
