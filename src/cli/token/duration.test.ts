import { expect, test } from 'vitest';
import { parseDuration } from './duration.ts';

const DAY_MS = 86_400_000;

test.each([
  ['90s', 90_000],
  ['45m', 45 * 60_000],
  ['45min', 45 * 60_000],
  ['12h', DAY_MS / 2],
  ['30d', 30 * DAY_MS],
  ['30D', 30 * DAY_MS],
  ['8w', 56 * DAY_MS],
  ['1y', 365 * DAY_MS],
])('%s is %i ms', (written, ms) => {
  expect(parseDuration(written)).toBe(ms);
});

test.each([
  '',
  '30',
  'd',
  '0d',
  '-1d',
  '1.5d',
  '30 days',
  '11y',
  '999999999y',
  '1e3d',
  'never',
  '1constructor',
  '__proto__',
])('%j is not a duration', (written) => {
  expect(parseDuration(written)).toBeUndefined();
});
