import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { type Frame, frameText } from '../frame.ts';
import { createPeer } from '../rpc/peer.ts';
import { createFramer } from './framing.ts';
import { createOutbox } from './outbox.ts';

test('sends all messages of one turn in one write, in order', async () => {
  const { stream, writes } = fastStream();
  const outbox = createOutbox(stream);
  for (let count = 0; count < 100; count++) outbox.send(`${count}`);
  expect(writes).toEqual([]);
  await turn();
  expect(writes).toEqual([Array.from({ length: 100 }, (_, count) => `${count}\n`).join('')]);
});

test('sends responses of async handlers that await only settled promises in one write', async () => {
  const { stream, writes } = fastStream();
  const outbox = createOutbox(stream);
  const deep = async (left: number): Promise<number> => (left === 0 ? 0 : 1 + (await deep(left - 1)));
  const peer = createPeer({
    send: outbox.send,
    onNotification: () => undefined,
    onRequest: ({ id }) => deep(Number(id)),
  });
  for (let id = 0; id < 50; id++) peer.receive(`{"id":${id},"method":"m"}`);
  await turn();
  expect(writes).toHaveLength(1);
});

test.each(['ndjson', 'content-length'] as const)(
  'keeps the order and bytes of text and pieces in %s',
  async (framing) => {
    const { stream, writes } = fastStream();
    const outbox = createOutbox(stream);
    outbox.setFraming(framing);
    const long = 'é😀'.repeat(20);
    outbox.send('"é😀"');
    outbox.send({ pieces: ['["', Buffer.from(long), '"]'], bytes: Buffer.byteLength(long) + 4 });
    outbox.send({ pieces: [Buffer.from('{}')], bytes: 2 });
    outbox.send('"last"');
    outbox.send('1');
    await turn();
    expect(writes).toHaveLength(1);
    expect(framesOf(Buffer.from(writes.join('')))).toEqual(['"é😀"', `["${long}"]`, '{}', '"last"', '1']);
  },
);

test('sends a message of very many pieces', async () => {
  const { stream, writes } = fastStream();
  const outbox = createOutbox(stream);
  outbox.send({ pieces: Array.from({ length: 300_000 }, () => 'x'), bytes: 300_000 });
  await turn();
  expect(writes.join('')).toBe(`${'x'.repeat(300_000)}\n`);
});

test('limits what one turn buffers before it writes', () => {
  const { stream, writes } = fastStream();
  const outbox = createOutbox(stream);
  const message = 'x'.repeat(1024 * 1024);
  for (let count = 0; count < 10; count++) outbox.send(message);
  expect(writes.length).toBeGreaterThan(0);
  outbox.flush();
  expect(writes.join('')).toBe(`${message}\n`.repeat(10));
});

test('flush writes at once and leaves nothing for the turn', async () => {
  const { stream, writes } = fastStream();
  const outbox = createOutbox(stream);
  outbox.send('1');
  outbox.flush();
  expect(writes).toEqual(['1\n']);
  await turn();
  expect(writes).toEqual(['1\n']);
});

test('reports a slow reader once as full and once as drained, and again when it is slow again', async () => {
  const slow = slowStream();
  const received: string[] = [];
  const outbox = createOutbox(slow.stream, {
    fullBytes: 100,
    onFull: () => received.push('full'),
    onDrained: () => received.push('drained'),
  });
  for (const round of [1, 2]) {
    for (let count = 0; count < 3; count++) {
      outbox.send('x'.repeat(80));
      outbox.flush();
    }
    expect(received).toHaveLength(2 * round - 1);
    await slow.readAll();
    expect(received).toHaveLength(2 * round);
  }
  expect(received).toEqual(['full', 'drained', 'full', 'drained']);
});

test('overflows once for a reader that never reads, and queues nothing more', () => {
  const { stream } = slowStream();
  const errors: string[] = [];
  const outbox = createOutbox(stream, { maxBytes: 1_000, onOverflow: ({ code }) => errors.push(code) });
  for (let count = 0; count < 100; count++) {
    outbox.send('x'.repeat(100));
    outbox.send({ pieces: ['x'.repeat(100)], bytes: 100 });
    outbox.flush();
  }
  expect(errors).toEqual(['BUSY']);
  expect(stream.writableLength).toBeLessThan(1_500);
});

function fastStream() {
  const writes: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      writes.push(String(chunk));
      done();
    },
    writev(chunks, done) {
      writes.push(Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk))).toString());
      done();
    },
  });
  return { stream, writes };
}

/** Accepts one chunk and completes it only when the test reads. */
function slowStream() {
  let done: (() => void) | undefined;
  const stream = new Writable({
    highWaterMark: 16,
    write(_chunk, _encoding, callback) {
      done = callback;
    },
  });
  return {
    stream,
    async readAll() {
      while (stream.writableLength > 0) {
        const finish = done;
        done = undefined;
        finish?.();
        await turn();
      }
    },
  };
}

function framesOf(bytes: Buffer): string[] {
  const frames: string[] = [];
  const sink = {
    frame: (frame: Frame) => frames.push(frameText(frame)),
    reportError: (error: Error) => expect.fail(error.message),
  };
  createFramer(sink).push(bytes);
  return frames;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
