import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { type Frame, frameText } from '../frame.ts';
import { createFramer, type Framing } from './framing.ts';

const BUDGET = propertyRuns(500);
const MAX_BYTES = 40;

const cuts = fc.oneof(fc.array(fc.nat(), { maxLength: 12 }), fc.constant('everywhere' as const));
const word = fc.oneof(
  fc.constantFrom('', ' ', '\t', '{}', '{"a":1}', '[]', 'junk', '"é€😀"', '\r', 'ÿ', `{"x":"${'y'.repeat(60)}"}`),
  fc.json({ maxDepth: 1 }),
  fc.string({ unit: 'binary', maxLength: 45 }).map((text) => JSON.stringify(text)),
);

test('lines are the same for every split of the stream', () => {
  const stream = fc.record({
    mark: fc.constantFrom('', '\ufeff'),
    lines: fc.array(fc.tuple(word, fc.constantFrom('\n', '\r\n', '\n\n')), { maxLength: 8 }),
    rest: word,
  });
  fc.assert(
    fc.property(stream, cuts, ({ mark, lines, rest }, places) => {
      const text = lines.map((line) => line.join('')).join('') + rest;
      expect(read(cut(Buffer.from(mark + text), places))).toEqual(linesOf(text));
    }),
    BUDGET,
  );
});

test('Content-Length messages are the same for every split of the stream', () => {
  const header = fc.constantFrom<(bytes: number) => string>(
    (bytes) => `Content-Length: ${bytes}\r\n\r\n`,
    (bytes) => `content-length:${bytes}\n\n`,
    (bytes) => `Content-Type: application/json\r\nContent-Length: ${bytes} \r\n\r\n`,
    (bytes) => `Content-Length: ${bytes}\n\r\n`,
  );
  const between = fc.constantFrom('', '\r\n', '\n', '\r\n\r\n', 'Content-Type: none\r\n\r\n');
  const stream = fc.array(fc.tuple(header, word, between), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(stream, cuts, (messages, places) => {
      const expected: Reading = { framings: ['content-length'], frames: [], faults: [], rest: undefined };
      let text = '';
      for (const [write, body, gap] of messages) {
        const bytes = Buffer.byteLength(body);
        text += write(bytes) + body + gap;
        if (bytes > MAX_BYTES) expected.faults.push('MESSAGE_TOO_LARGE');
        else if (bytes > 0) expected.frames.push(body);
        if (gap.startsWith('Content-Type')) expected.faults.push('BAD_FRAME');
      }
      expect(read(cut(Buffer.from(text), places))).toEqual(expected);
    }),
    BUDGET,
  );
});

test('gives up an endless header after the same number of bytes for any chunks', () => {
  const sound = 'Content-Length: 2\r\n\r\n{}';
  const stream = Buffer.from(`Content-Wrong: ${'x'.repeat(8192 - 15)}${sound}`);
  const expected = { framings: ['content-length'], frames: ['{}'], faults: ['BAD_FRAME'], rest: undefined };
  expect(read([stream])).toEqual(expected);
  expect(read(cut(stream, [1, 100, 8191, 8193]))).toEqual(expected);
  expect(read(cut(stream, 'everywhere'))).toEqual(expected);
});

test('drops a line over the limit with one error, and reads the next line', () => {
  const { frames, faults } = read([Buffer.from(`{"a":1}\n${'x'.repeat(MAX_BYTES + 1)}\n{"b":2}\n`)]);
  expect({ frames, faults }).toEqual({ frames: ['{"a":1}', '{"b":2}'], faults: ['MESSAGE_TOO_LARGE'] });
});

test('returns the unterminated last line at the end', () => {
  expect(read([Buffer.from('{"a":1}\n{"b"')])).toEqual({
    framings: ['ndjson'],
    frames: ['{"a":1}'],
    faults: [],
    rest: '{"b"',
  });
});

test('returns a partial Content-Length body at the end', () => {
  expect(read([Buffer.from('Content-Length: 20\r\n\r\n{"b"')]).rest).toBe('{"b"');
});

test('an empty stream has no frames and no rest', () => {
  expect(read([])).toEqual({ framings: [], frames: [], faults: [], rest: undefined });
  expect(read([Buffer.alloc(0)])).toEqual({ framings: ['ndjson'], frames: [], faults: [], rest: undefined });
});

test('reads a word that only starts like a header as a line', () => {
  expect(read([Buffer.from('Con'), Buffer.from('nected\n{}\n')]).frames).toEqual(['Connected', '{}']);
});

interface Reading {
  readonly framings: Framing[];
  readonly frames: string[];
  readonly faults: string[];
  rest: string | undefined;
}

function read(chunks: readonly Buffer[]): Reading {
  const reading: Reading = { framings: [], frames: [], faults: [], rest: undefined };
  const sink = {
    frame: (frame: Frame) => reading.frames.push(frameText(frame)),
    reportError: ({ code }: { code: string }) => reading.faults.push(code),
  };
  const onFraming = (framing: Framing) => reading.framings.push(framing);
  const framer = createFramer(sink, { maxBytes: MAX_BYTES, onFraming });
  for (const chunk of chunks) framer.push(chunk);
  const rest = framer.end();
  reading.rest = rest === undefined ? undefined : frameText(rest);
  return reading;
}

function linesOf(text: string): Reading {
  const reading: Reading = { framings: ['ndjson'], frames: [], faults: [], rest: undefined };
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (Buffer.byteLength(line) > MAX_BYTES) reading.faults.push('MESSAGE_TOO_LARGE');
    else if (/^[ \t\r]*$/.test(trimmed)) continue;
    else if (index === lines.length - 1) reading.rest = trimmed;
    else reading.frames.push(trimmed);
  }
  return reading;
}

function cut(bytes: Buffer, places: readonly number[] | 'everywhere'): Buffer[] {
  if (bytes.length === 0) return [bytes];
  if (places === 'everywhere') return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  const sorted = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length));
}

test('reports a dropped line with its first bytes, however short the first chunk is', () => {
  const beginnings: string[] = [];
  const framer = createFramer(
    { frame() {}, reportError: (_, beginning) => void beginnings.push(String(beginning)) },
    { framing: 'ndjson', maxBytes: 1_000 },
  );
  for (const chunk of ['{"js', 'onrpc":"2.0","id":7,"result":"', 'x'.repeat(2_000), '"}\n'])
    framer.push(Buffer.from(chunk));
  expect(beginnings).toEqual([`{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(256 - 34)}`]);
});
