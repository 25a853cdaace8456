import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReplayBuffer } from './replay-buffer.ts';

test('returns the messages after a position, in order', () => {
  const buffer = new ReplayBuffer({ maxReplayEvents: 10, maxReplayBytes: 100 });
  for (const sequence of [1, 2, 3]) buffer.add(sequence, `m${sequence}`);
  expect(buffer.after(1)).toMatchObject([
    { sequence: 2, message: 'm2' },
    { sequence: 3, message: 'm3' },
  ]);
  expect(buffer.after(3)).toEqual([]);
  expect(buffer.after(0)).toHaveLength(3);
});

test('a message that is larger than the buffer is not kept', () => {
  const buffer = new ReplayBuffer({ maxReplayEvents: 10, maxReplayBytes: 10 });
  buffer.add(1, 'small');
  buffer.add(2, 'much too large');
  expect([buffer.after(0), buffer.bytes]).toEqual([[], 0]);
});

test('never exceeds its limits, and keeps the newest messages that fit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 30, unit: 'grapheme' })),
      fc.nat(8),
      fc.nat(60),
      (texts, count, bytes) => {
        const buffer = new ReplayBuffer({ maxReplayEvents: count, maxReplayBytes: bytes });
        for (const [index, text] of texts.entries()) buffer.add(index, text);
        const kept = buffer.after(-1).map(({ message }) => String(message));
        expect(kept).toEqual(texts.slice(texts.length - kept.length));
        expect(kept.length).toBeLessThanOrEqual(count);
        expect(Buffer.byteLength(kept.join(''))).toBeLessThanOrEqual(bytes);
      },
    ),
  );
});
