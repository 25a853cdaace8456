import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createWriteTracker } from './write-tracker.ts';

test('a write to an idle stream is handed over at once', () => {
  const handover = createWriteTracker();
  const mark = handover.nextSequence();
  expect(handover.isUnsent(mark)).toBe(true);
  handover.beginWrite();
  expect(handover.isUnsent(mark)).toBe(false);
});

test('queued writes are handed over together when the write before them is done', () => {
  const handover = createWriteTracker();
  const done = handover.beginWrite();
  const [second, third] = [handover.nextSequence(), handover.nextSequence() + 1];
  handover.beginWrite();
  handover.beginWrite();
  expect([handover.isUnsent(second), handover.isUnsent(third)]).toEqual([true, true]);
  done();
  expect([handover.isUnsent(second), handover.isUnsent(third)]).toEqual([false, false]);
});

test('writes that are queued when the stream breaks were never handed over, even if the stream calls back', async () => {
  const handover = createWriteTracker();
  const stream = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => setImmediate(() => done(new Error('write EPIPE'))),
  });
  const calledBack: string[] = [];
  const write = (name: string) => {
    const mark = handover.nextSequence();
    const done = handover.beginWrite();
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
  expect([handover.isUnsent(first), handover.isUnsent(second)]).toEqual([false, true]);
});
