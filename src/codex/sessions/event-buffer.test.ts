import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { Item } from '../item-types.ts';
import { createEventBuffer, type SessionEvent } from './event-buffer.ts';

const RUN = 'ab12';

test.each([
  ['from another run', 'ff00-1'],
  ['from the future', `${RUN}-3`],
  ['that is invalid', 'nonsense'],
  ['that is empty', ''],
  ['with trailing text', `${RUN}-1-1`],
])('a cursor %s returns all events, and reports a possible gap', (_, cursor) => {
  const buffer = createEventBuffer(10, RUN);
  buffer.push('t', item(1));
  buffer.push('t', item(2));

  expect(buffer.since(cursor)).toEqual({ events: [event(1), event(2)], isIncomplete: true });
});

test('returns all events and no gap without a cursor', () => {
  const buffer = createEventBuffer(10, RUN);
  expect(buffer.since(undefined)).toEqual({ events: [], isIncomplete: false });
  expect(buffer.since(buffer.cursor())).toEqual({ events: [], isIncomplete: false });
  buffer.push('t', item(1));

  expect(buffer.since(undefined)).toEqual({ events: [event(1)], isIncomplete: false });
  expect(buffer.since(`${RUN}-0`)).toEqual({ events: [event(1)], isIncomplete: false });
});

verifies('codex:events:buffer', 'drops the oldest events first, and reports a gap to readers that missed one', () => {
  const buffer = createEventBuffer(3, RUN);
  const before = buffer.cursor();
  for (const count of [1, 2, 3, 4, 5]) buffer.push('t', item(count));

  expect(buffer.since(undefined).events).toEqual([event(3), event(4), event(5)]);
  expect(buffer.since(before)).toEqual({ events: [event(3), event(4), event(5)], isIncomplete: true });
  expect(buffer.since(`${RUN}-2`)).toEqual({ events: [event(3), event(4), event(5)], isIncomplete: false });
  expect(buffer.since(`${RUN}-1`).isIncomplete).toBe(true);
});

test('reading from the last cursor returns every event once, or reports a gap', () => {
  const steps = fc.array(fc.oneof(fc.constant('read'), fc.integer({ min: 1, max: 12 })), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), steps, (maxEvents, doings) => {
      const buffer = createEventBuffer(maxEvents, RUN);
      const seen: number[] = [];
      let cursor = buffer.cursor();
      let pushed = 0;
      for (const doing of [...doings, 'read']) {
        if (typeof doing === 'number') for (let left = doing; left > 0; left--) buffer.push('t', item(++pushed));
        else {
          const { events, isIncomplete } = buffer.since(cursor);
          cursor = buffer.cursor();
          const missing = events.length === 0 ? 0 : (events[0]?.sequence ?? 0) - (seen.at(-1) ?? 0) - 1;
          expect(isIncomplete).toBe(missing > 0);
          expect(events.length).toBeLessThanOrEqual(maxEvents);
          seen.push(...events.map(({ sequence }) => sequence));
        }
        expect(buffer.size).toBeLessThan(2 * maxEvents + 1);
      }
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      expect(seen.at(-1) ?? 0).toBe(pushed);
    }),
  );
});

function item(count: number): Item {
  return { id: `i${count}`, type: 'unknown', status: 'completed', summary: '' };
}

function event(count: number): SessionEvent {
  return { sequence: count, turnId: 't', item: item(count) };
}
