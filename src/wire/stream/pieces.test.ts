import { afterEach, expect, test, vi } from 'vitest';
import { type Frame, frameLength } from '../frame.ts';
import { createFramer } from './framing.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

afterEach(() => vi.restoreAllMocks());

test('does not copy one large line in many chunks', () => {
  const { copied, frames } = feed([line(8 * MIB)], 64 * KIB);
  expect({ copied, frames: frames.map(frameLength) }).toEqual({ copied: 0, frames: [8 * MIB] });
});

test('many lines cost no more copies than one line of the same size', () => {
  const { copied, frames } = feed(
    Array.from({ length: 64 }, () => line(128 * KIB)),
    64 * KIB,
  );
  expect({ copied, frames: frames.length }).toEqual({ copied: 0, frames: 64 });
});

test('copies a line sent byte by byte once, without a buffer per byte', () => {
  const { copied, frames } = feed([line(MIB)], 1);
  expect(copied).toBeLessThanOrEqual(MIB + FIRST_BYTES);
  expect(frames[0]?.length).toBeLessThanOrEqual(MIB / 256 + 256);
  expect(frames.map(frameLength)).toEqual([MIB]);
});

test('copies a Content-Length message sent byte by byte once, without a buffer per byte', () => {
  const message = Buffer.concat([Buffer.from(`Content-Length: ${MIB}\r\n\r\n`), Buffer.alloc(MIB, 'x')]);
  const { copied, frames } = feed([message], 1);
  expect(copied).toBeLessThanOrEqual(MIB + FIRST_BYTES);
  expect(frames[0]?.length).toBeLessThanOrEqual(MIB / 256 + 256);
  expect(frames.map(frameLength)).toEqual([MIB]);
});

test('does not copy a Content-Length message in many chunks', () => {
  const message = Buffer.concat([Buffer.from(`Content-Length: ${4 * MIB}\r\n\r\n`), Buffer.alloc(4 * MIB, 'x')]);
  const { copied, frames } = feed([message, message], 64 * KIB);
  expect({ copied, frames: frames.map(frameLength) }).toEqual({ copied: 0, frames: [4 * MIB, 4 * MIB] });
});

/** The number of bytes that may be copied repeatedly while the framing is undecided: 1 + 2 + … + 64. */
const FIRST_BYTES = (64 * 65) / 2;

function line(bytes: number): Buffer {
  const whole = Buffer.alloc(bytes + 1, 'x');
  whole[bytes] = 10;
  return whole;
}

/** Counts the bytes that pass through `Buffer.concat`, the only way in which the wire layer copies. */
function feed(messages: readonly Buffer[], chunkBytes: number): { copied: number; frames: Frame[] } {
  const stream = Buffer.concat(messages);
  const concat = vi.spyOn(Buffer, 'concat');
  const frames: Frame[] = [];
  const framer = createFramer({
    frame: (frame) => frames.push(frame),
    reportError: (error) => expect.fail(error.message),
  });
  for (let at = 0; at < stream.length; at += chunkBytes) framer.push(stream.subarray(at, at + chunkBytes));
  let copied = 0;
  for (const { value } of concat.mock.results) copied += (value as Buffer).length;
  concat.mockRestore();
  return { copied, frames };
}
