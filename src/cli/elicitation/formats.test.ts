import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatFault } from './formats.ts';

describe('rejects an invalid value with the reason', () => {
  test.each([
    ['date', '2020-99-99', 'There is no month 99'],
    ['date', '2020-00-10', 'There is no month 0'],
    ['date', '2021-02-29', 'There is no day 29 in a month of 28 days'],
    ['date', '1900-02-29', 'There is no day 29 in a month of 28 days'],
    ['date', '2026-04-31', 'There is no day 31 in a month of 30 days'],
    ['date', '2026-04-00', 'There is no day 0 in a month of 30 days'],
    ['date', '31.1.2026', 'Write a date as 2026-01-31'],
    ['date-time', '2020-13-45T10:00:00Z', 'There is no month 13'],
    ['date-time', '2026-01-31T24:00:00Z', 'This is not a valid time of day'],
    ['date-time', '2026-01-31T10:61:00Z', 'This is not a valid time of day'],
    ['date-time', '2026-01-31T10:00:00', 'Write a date and time as 2026-01-31T13:45:00Z'],
    ['date-time', '2026-01-31T10:00:00+25:00', 'This is not a valid time of day'],
    ['date-time', 'tomorrow', 'Write a date and time as 2026-01-31T13:45:00Z'],
    ['email', 'nobody', 'This is not an email address'],
    ['uri', 'example.com', 'This is not a URI with a scheme, such as https://example.com'],
  ])('%s %s', (format, text, why) => {
    expect(formatFault(format, text)).toBe(why);
  });
});

test.each([
  ['date', '2024-02-29'],
  ['date', '0099-12-31'],
  ['date-time', '2016-12-31T23:59:60Z'],
  ['date-time', '2026-01-31t10:00:00.125-05:30'],
  ['email', 'a@b'],
  ['uri', 'mailto:a@b'],
  ['password', 'anything'],
  [undefined, 'anything'],
])('accepts %s %s', (format, text) => {
  expect(formatFault(format, text)).toBe(undefined);
});

test('accepts every valid date and time', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (moment) => {
      const text = moment.toISOString();
      expect([formatFault('date-time', text), formatFault('date', text.slice(0, 10))]).toEqual([undefined, undefined]);
    }),
  );
});
