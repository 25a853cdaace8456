import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createWriteTracker } from './write-tracker.ts';

test('what is written to a stream that has nothing else to do is handed over at once', () => {
  const handover = createWriteTracker();
  const mark = handover.mark();
  expect(handover.isUntouched(mark)).toBe(true);
  handover.begin();
  expect(handover.isUntouched(mark)).toBe(false);
});

test('what waits behind another write is handed over when that one is done, together with all that waits', () => {
  const handover = createWriteTracker();
  const done = handover.begin();
  const [second, third] = [handover.mark(), handover.mark() + 1];
  handover.begin();
  handover.begin();
  expect([handover.isUntouched(second), handover.isUntouched(third)]).toEqual([true, true]);
  done();
  expect([handover.isUntouched(second), handover.isUntouched(third)]).toEqual([false, false]);
});

test('what waits when the stream breaks was never handed over, though the stream calls back', async () => {
  const handover = createWriteTracker();
  const stream = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => setImmediate(() => done(new Error('write EPIPE'))),
  });
  const calledBack: string[] = [];
  const write = (name: string) => {
    const mark = handover.mark();
    const done = handover.begin();
    stream.write(name, (error) => {
      calledBack.push(name);
      done(error);
    });
    return mark;
  };
  stream.on('error', () => {});
  const [first, second] = [write('first'), write('second')];
  await new Promise((resolve) => stream.once('close', resolve));
  expect(calledBack).toEqual(['first', 'second']);
  expect([handover.isUntouched(first), handover.isUntouched(second)]).toEqual([false, true]);
});
