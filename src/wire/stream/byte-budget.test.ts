import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AppError } from '../../base/errors.ts';
import { frameText } from '../frame.ts';
import { createByteBudget } from './byte-budget.ts';
import { createFramer, type Framing } from './framing.ts';

const LIMIT = 100;

test.each(['ndjson', 'content-length'] as const)('drops the largest of several unfinished messages: %s', (framing) => {
  const budget = createByteBudget(LIMIT);
  const [small, large, middle] = [open(framing, budget), open(framing, budget), open(framing, budget)];
  large.begin(60);
  small.begin(10);
  middle.begin(29);
  expect([small.faults, large.faults, middle.faults]).toEqual([[], [], []]);
  small.begin(3);
  expect([small.faults, large.faults, middle.faults]).toEqual([[], ['MESSAGE_TOO_LARGE'], []]);
});

test.each(['ndjson', 'content-length'] as const)('reads again from the next message after a drop: %s', (framing) => {
  const budget = createByteBudget(LIMIT);
  const [victim, other] = [open(framing, budget), open(framing, budget)];
  victim.begin(90);
  other.begin(20);
  expect(victim.faults).toEqual(['MESSAGE_TOO_LARGE']);
  victim.finish();
  victim.whole('"next"');
  expect(victim.texts).toEqual(['"next"']);
});

test('a finished message and an ended stream hold nothing', () => {
  const budget = createByteBudget(LIMIT);
  const [finished, gone, third] = [open('ndjson', budget), open('ndjson', budget), open('ndjson', budget)];
  finished.begin(90);
  finished.finish();
  gone.begin(90);
  gone.end();
  third.begin(90);
  expect([finished.faults, gone.faults, third.faults]).toEqual([[], [], []]);
});

test('the error states the shared limit', () => {
  const errors: AppError[] = [];
  const share = createByteBudget(LIMIT).open((error) => errors.push(error));
  share.update(LIMIT);
  expect(errors).toEqual([]);
  share.update(LIMIT + 1);
  expect(errors).toMatchObject([{ code: 'MESSAGE_TOO_LARGE', data: { maxBytes: LIMIT } }]);
});

test('streams never hold more than the limit together', () => {
  const step = fc.record({ stream: fc.nat({ max: 4 }), bytes: fc.integer({ min: 0, max: 120 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const budget = createByteBudget(LIMIT);
      const held = [0, 0, 0, 0, 0];
      const shares = held.map((_, index) =>
        budget.open(() => {
          held[index] = 0;
          shares[index]?.update(0);
        }),
      );
      for (const { stream, bytes } of steps) {
        held[stream] = bytes;
        shares[stream]?.update(bytes);
        expect(held.reduce((sum, own) => sum + own)).toBeLessThanOrEqual(LIMIT);
      }
    }),
  );
});

/** A stream whose message arrives in pieces. */
function open(framing: Framing, budget: ReturnType<typeof createByteBudget>) {
  const faults: string[] = [];
  const texts: string[] = [];
  const framer = createFramer(
    { frame: (frame) => texts.push(frameText(frame)), reportError: ({ code }) => faults.push(code) },
    { budget },
  );
  const write = (text: string) => framer.push(Buffer.from(text));
  let missing = 0;
  if (framing === 'ndjson') write('{}\n');
  else write('Content-Length: 2\r\n\r\n{}');
  texts.length = 0;

  return {
    faults,
    texts,
    end: () => framer.end(),
    whole: (text: string) =>
      write(framing === 'ndjson' ? `${text}\n` : `Content-Length: ${text.length}\r\n\r\n${text}`),
    begin(bytes: number) {
      if (framing === 'content-length' && missing === 0) {
        missing = 1000;
        write(`Content-Length: ${missing}\r\n\r\n`);
      }
      missing -= bytes;
      write('x'.repeat(bytes));
    },
    finish() {
      write(framing === 'ndjson' ? '\n' : 'x'.repeat(missing));
      missing = 0;
      texts.length = 0;
    },
  };
}
