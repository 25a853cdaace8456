import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../../../test/property-runs.ts';
import { frameText } from '../../../../wire/frame.ts';
import { createEventStream } from './event-stream.ts';

type ReceivedEvent =
  | { readonly message: string }
  | { readonly named: string; readonly data: string }
  | { readonly id: string }
  | { readonly retry: number };

const LIMIT = 1024 * 1024;

describe('an event over the limit', () => {
  test.each([
    ['on one line', ['data: ', 'x'.repeat(101), '\n\n']],
    ['on an unterminated line', ['data: ', ...Array<string>(20).fill('x'.repeat(10))]],
    ['over many lines', Array<string>(20).fill(`data: ${'x'.repeat(10)}\n`)],
    ['over many empty data lines', ['data: x\n', ...Array<string>(200).fill('data:\n')]],
    ['in an unterminated comment', [': ', ...Array<string>(20).fill('x'.repeat(10))]],
  ])('%s ends the stream', (_, chunks) => {
    expect(() => receive(chunks.map(toBytes), 100)).toThrow(
      expect.objectContaining({
        code: 'MESSAGE_TOO_LARGE',
        message: 'An event is over the limit of 100 bytes.',
        data: { maxBytes: 100 },
      }),
    );
  });

  test('is a single event, not a thousand small ones', () => {
    const chunk = toBytes('data: 1234567890\n\n');
    expect(receive(Array<Buffer>(1000).fill(chunk), 20)).toEqual(Array(1000).fill({ message: '1234567890' }));
  });

  test('is counted from the end of the previous event', () => {
    const chunks = [`data: ${'x'.repeat(60)}\n`, '\n', `data: ${'y'.repeat(60)}\n\n`].map(toBytes);
    expect(receive(chunks, 100)).toEqual([{ message: 'x'.repeat(60) }, { message: 'y'.repeat(60) }]);
  });
});

describe('ignores what is not a message', () => {
  test.each([
    ['a comment', ': still here\n\n'],
    ['an event without data, which only sets where to resume', 'data: \n\n'],
    ['an unterminated event', 'data: {"half":'],
    ['an event without a final blank line', 'data: {}\n'],
    ['an unknown field', 'color: red\n\n'],
    ['a field that only starts like data', 'database: x\n\n'],
    ['blank lines', '\n\n\r\n\r'],
  ])('%s', (_, text) => {
    expect(receive([toBytes(text)])).toEqual([]);
  });

  test('an invalid retry, and an id with NUL in it', () => {
    expect(receive([toBytes('retry: soon\nretry: -1\nretry: 1.5\nid: a\0b\ndata: x\n\n')])).toEqual([{ message: 'x' }]);
  });
});

describe('fields', () => {
  test('a blank after the colon is not part of the value', () => {
    expect(receive([toBytes('data:a\n\ndata:  b\n\nid:1\ndata: c\n\n')])).toEqual([
      { message: 'a' },
      { message: ' b' },
      { id: '1' },
      { message: 'c' },
    ]);
  });

  test('the id is known only after its event has ended', () => {
    expect(receive([toBytes('id: 1\ndata: \n\nid: 2\ndata: {"half"')])).toEqual([{ id: '1' }]);
  });

  test('an event with another name is not a message', () => {
    expect(receive([toBytes('event: endpoint\ndata: /messages\n\nevent: message\ndata: {}\n\n')])).toEqual([
      { named: 'endpoint', data: '/messages' },
      { message: '{}' },
    ]);
  });

  test('a name applies to one event', () => {
    expect(receive([toBytes('event: other\n\ndata: {}\n\n')])).toEqual([{ message: '{}' }]);
  });

  test('a leading byte order mark is not part of the first field name', () => {
    expect(receive([toBytes('\ufeffdata: {}\n\n')])).toEqual([{ message: '{}' }]);
    expect(receive([...toBytes('\ufeffdata: {}\n\n')].map((byte) => Buffer.from([byte])))).toEqual([{ message: '{}' }]);
  });
});

describe('bytes', () => {
  test('keep a character whole that is split across chunks', () => {
    const bytes = toBytes('data: "Grüße 🌍"\n\n');
    for (let at = 1; at < bytes.length; at++)
      expect(receive([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([{ message: '"Grüße 🌍"' }]);
  });

  test('of one line are passed on without copying', () => {
    const chunk = toBytes(`data: ${'x'.repeat(1000)}\n\n`);
    const frames: (readonly Buffer[])[] = [];
    const stream = createEventStream(
      { message: (frame) => void frames.push(frame), id() {}, retry() {} },
      { maxBytes: LIMIT },
    );
    stream.push(chunk);
    expect(frames.map((frame) => frame.map(({ buffer, length }) => [buffer === chunk.buffer, length]))).toEqual([
      [[true, 1000]],
    ]);
  });

  test('of an event of 10 MiB in chunks of 64 KiB are passed on in those chunks', () => {
    const chunkBytes = 64 * 1024;
    const whole = Buffer.concat([toBytes('data: '), Buffer.alloc(10 * 1024 * 1024, 'x'), toBytes('\n\n')]);
    const chunks = splitEvery(whole, chunkBytes);
    const frames: (readonly Buffer[])[] = [];
    const stream = createEventStream(
      { message: (frame) => void frames.push(frame), id() {}, retry() {} },
      { maxBytes: 64 * 1024 * 1024 },
    );
    for (const chunk of chunks) stream.push(chunk);
    const [frame = []] = frames;
    expect({
      events: frames.length,
      bytes: frame.reduce((sum, { length }) => sum + length, 0),
      isCopied: frame.some(({ buffer }) => buffer !== whole.buffer),
    }).toEqual({ events: 1, bytes: 10 * 1024 * 1024, isCopied: false });
  });

  test('of an event of 1 MiB that arrive one by one are joined', () => {
    const whole = Buffer.concat([toBytes('data: '), Buffer.alloc(1024 * 1024, 'x'), toBytes('\n\n')]);
    const frames: (readonly Buffer[])[] = [];
    const stream = createEventStream(
      { message: (frame) => void frames.push(frame), id() {}, retry() {} },
      { maxBytes: 2 * 1024 * 1024 },
    );
    for (let at = 0; at < whole.length; at++) stream.push(whole.subarray(at, at + 1));
    const [frame = []] = frames;
    expect(frameText(frame)).toBe('x'.repeat(1024 * 1024));
    expect(frame.length).toBeLessThan(10_000);
  });
});

const field = fc.oneof(
  fc.record({ name: fc.constant('data'), value: fc.constantFrom('{}', '{"a":1}', ' x', 'ü🌍', ':', 'data: x') }),
  fc.record({ name: fc.constant('id'), value: fc.constantFrom('1', 'stream-1.2', 'ü') }),
  fc.record({ name: fc.constant('event'), value: fc.constantFrom('message', 'endpoint', '') }),
  fc.record({ name: fc.constant('retry'), value: fc.constantFrom('0', '500', 'soon', '') }),
  fc.record({ name: fc.constant(''), value: fc.constantFrom('a comment', 'data: x', '') }),
  fc.record({ name: fc.constantFrom('database', 'dat', 'd', 'Data'), value: fc.constantFrom('x', '') }),
);
const line = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(field, fc.constantFrom(':', ': ')).map(([{ name, value }, sep]) => name + sep + value),
  },
  { weight: 2, arbitrary: fc.constant('') },
);
const text = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r'))))
  .map(([mark, lines]) => mark + lines.map(([written, end]) => written + end).join(''));

test('events are the same for every split of the bytes', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), (written, cuts) => {
      const bytes = toBytes(written);
      expect(receive(splitAt(bytes, cuts))).toEqual(readWhole(written));
      expect(receive([...bytes].map((byte) => Buffer.from([byte])))).toEqual(readWhole(written));
    }),
    propertyRuns(500),
  );
});

/** Returns all events of a stream with these chunks, in order. */
function receive(chunks: readonly Buffer[], maxBytes = LIMIT): ReceivedEvent[] {
  const received: ReceivedEvent[] = [];
  const stream = createEventStream(
    {
      message: (frame) => received.push({ message: frameText(frame) }),
      named: (named, data) => received.push({ named, data }),
      id: (id) => received.push({ id }),
      retry: (retry) => received.push({ retry }),
    },
    { maxBytes },
  );
  for (const chunk of chunks) stream.push(chunk);
  return received;
}

/** Applies the rules of the standard one by one to the complete text. An event without data is not a message. */
function readWhole(written: string): ReceivedEvent[] {
  const received: ReceivedEvent[] = [];
  let data: string[] = [];
  let name = '';
  let id: string | undefined;
  const lines = written.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  // The rest after the last line break is incomplete.
  for (const one of lines.slice(0, -1)) {
    const [, key = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(one) ?? [];
    if (one === '') {
      const joined = data.join('\n');
      if (id !== undefined) received.push({ id });
      if (joined !== '')
        received.push(name === '' || name === 'message' ? { message: joined } : { named: name, data: joined });
      data = [];
      name = '';
      id = undefined;
    } else if (key === 'data') data.push(value);
    else if (key === 'event') name = value;
    else if (key === 'id') id = value;
    else if (key === 'retry' && /^\d+$/.test(value)) received.push({ retry: Number(value) });
  }
  return received;
}

function toBytes(written: string): Buffer {
  return Buffer.from(written);
}

function splitAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end));
}

function splitEvery(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}
