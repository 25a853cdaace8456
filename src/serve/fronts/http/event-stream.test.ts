import { expect, test } from 'vitest';
import { parseEventId } from './event-stream.ts';

test.each([
  ['0a1b2c3ds-0', { key: '0a1b2c3ds', sequence: 0 }],
  ['0a1b2c3dr12-345', { key: '0a1b2c3dr12', sequence: 345 }],
  ['', undefined],
  ['s', undefined],
  ['s-', undefined],
  ['-1', undefined],
  ['s-1.5', undefined],
  ['s-1e3', undefined],
  ['s-99999999999999999999', undefined],
  ['ä-1', undefined],
  [`${'a'.repeat(257)}-1`, undefined],
])('the event id %j is read as %j', (eventId, expected) => {
  expect(parseEventId(eventId)).toEqual(expected);
});
