import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStoredResults } from './stored-results.ts';
import { truncateMiddle } from './truncate-middle.ts';

const wellFormed = fc.string({ unit: 'binary', maxLength: 200 }).map((text) => Buffer.from(text).toString());
const linesOfText = fc.array(wellFormed, { maxLength: 20 }).map((lines) => lines.join('\n'));

describe('an unreadable resource', () => {
  test('is any reference before a result is stored', () => {
    expect(() => createStoredResults().read('result-1-\u001b[31m00000000')).toThrowError(
      expect.objectContaining({
        code: 'RESOURCE_NOT_FOUND',
        message: 'No result is stored under "result-1-00000000"; the oldest are removed first.',
      }),
    );
  });

  test('is the oldest result over the limit, and the newer ones stay readable', () => {
    const kept = createStoredResults({ maxResults: 2 });
    const [first = '', ...others] = ['a', 'b', 'c'].map((text) => kept.store({ text, parts: [] }));
    expect(() => kept.read(first)).toThrowError(
      expect.objectContaining({
        code: 'RESOURCE_NOT_FOUND',
        message: `No result is stored under "${first}"; the oldest are removed first.`,
      }),
    );
    expect(others.map((reference) => kept.read(reference).text)).toEqual(['b', 'c']);
  });

  test.each([
    [[], 'it has only its text'],
    [['x', 'y'], 'it has its text and the parts 1 to 2'],
  ])('is a missing part, with parts %j', (parts, which) => {
    const kept = createStoredResults();
    const reference = kept.store({ text: 'a', parts });
    expect(() => kept.read(reference, { part: 3 })).toThrowError(
      expect.objectContaining({
        code: 'RESOURCE_NOT_FOUND',
        message: `The result ${reference} has no part 3: ${which}.`,
      }),
    );
  });

  test.each([
    [{ offset: -1 }, 'offset must be a whole number from 0 to 3, but is -1.'],
    [{ offset: 4 }, 'offset must be a whole number from 0 to 3, but is 4.'],
    [{ offset: 0.5 }, 'offset must be a whole number from 0 to 3, but is 0.5.'],
    [{ offset: Number.NaN }, 'offset must be a whole number from 0 to 3, but is NaN.'],
    [{ length: 0 }, 'length must be a whole number above 0, but is 0.'],
    [{ length: Number.POSITIVE_INFINITY }, 'length must be a whole number above 0, but is Infinity.'],
  ])('is the invalid range %j', (place, message) => {
    const kept = createStoredResults();
    const reference = kept.store({ text: 'abc', parts: [] });
    expect(() => kept.read(reference, place)).toThrowError(expect.objectContaining({ code: 'BAD_ARGUMENTS', message }));
  });
});

test('references are numbered and end with random digits', () => {
  const kept = createStoredResults();
  const references = [1, 2].map(() => kept.store({ text: '', parts: [] }));
  expect(references).toEqual([
    expect.stringMatching(/^result-1-[0-9a-f]{8}$/),
    expect.stringMatching(/^result-2-[0-9a-f]{8}$/),
  ]);
  expect(references[0]?.slice(-8)).not.toBe(references[1]?.slice(-8));
});

test('reads the text and each part by bytes, up to the end', () => {
  const kept = createStoredResults();
  const reference = kept.store({ text: 'äöü', parts: ['part one', ''] });
  expect([
    kept.read(reference, { offset: 2, length: 2 }),
    kept.read(reference, { offset: 6 }),
    kept.read(reference, { part: 1, offset: 5 }),
    kept.read(reference, { part: 2 }),
  ]).toEqual([
    { text: 'ö', start: 2, end: 4, total: 6, kept: 6 },
    { text: '', start: 6, end: 6, total: 6, kept: 6 },
    { text: 'one', start: 5, end: 8, total: 8, kept: 8 },
    { text: '', start: 0, end: 0, total: 0, kept: 0 },
  ]);
});

test('a piece has at most 32 KiB by default', () => {
  const kept = createStoredResults();
  const reference = kept.store({ text: 'x'.repeat(100_000), parts: [] });
  expect(kept.read(reference).end).toBe(32 * 1024);
  expect(kept.read(reference, { length: 1_000_000 }).end).toBe(100_000);
});

test('an offset inside a character moves to its start, and a short length returns a whole character', () => {
  const kept = createStoredResults();
  const reference = kept.store({ text: 'a😀b', parts: [] });
  expect(kept.read(reference, { offset: 3, length: 1 })).toEqual({ text: '😀', start: 1, end: 5, total: 6, kept: 6 });
});

test('consecutive pieces of any length join to the whole text', () => {
  fc.assert(
    fc.property(wellFormed, fc.integer({ min: 1, max: 50 }), (text, length) => {
      const kept = createStoredResults();
      const reference = kept.store({ text, parts: [] });
      let read = '';
      let offset = 0;
      do {
        const piece = kept.read(reference, { offset, length });
        read += piece.text;
        offset = piece.end;
      } while (offset < Buffer.byteLength(text));
      expect(read).toBe(text);
    }),
  );
});

test('stays within the memory limit by dropping older results and truncating one that is too large', () => {
  const kept = createStoredResults({ maxBytes: 10 });
  const small = kept.store({ text: 'x'.repeat(6), parts: [] });
  const large = kept.store({ text: 'aaaaaaaaaé', parts: ['more'] });
  expect(() => kept.read(small)).toThrowError(expect.objectContaining({ code: 'RESOURCE_NOT_FOUND' }));
  expect([kept.read(large), kept.read(large, { offset: 11 }), kept.read(large, { part: 1 })]).toEqual([
    { text: 'aaaaaaaaa', start: 0, end: 9, total: 11, kept: 9 },
    { text: '', start: 9, end: 9, total: 11, kept: 9 },
    { text: 'm', start: 0, end: 1, total: 4, kept: 1 },
  ]);
});

describe('truncation', () => {
  const parts = (shown: string) =>
    /^(.*)\n\[(\d+) bytes left out here; [^\n]*"offset":(\d+)\}\]\n(.*)$/s.exec(shown) ?? [];

  test('omits the middle between lines, and says how to read it', () => {
    const text = Array.from({ length: 100 }, (_, line) => `line ${line}\n`).join('');
    expect(truncateMiddle(text, 130, 'result-1-00000000').bytes.toString()).toBe(
      `${text.slice(0, 86)}\n[664 bytes left out here; read the rest with mcp_result_read {"reference":"result-1-00000000","offset":86}]\n${text.slice(-40)}`,
    );
  });

  test('splits the text completely, within the limit, without splitting a character', () => {
    fc.assert(
      fc.property(linesOfText, fc.integer({ min: 0, max: 400 }), (text, maxBytes) => {
        const whole = Buffer.from(text);
        fc.pre(whole.length > maxBytes);
        const kept = createStoredResults();
        const reference = kept.store({ text, parts: [] });
        const [, head = '', left, offset, tail = ''] = parts(
          truncateMiddle(text, maxBytes, reference).bytes.toString(),
        );
        const middle = kept.read(reference, { offset: Number(offset), length: Math.max(1, Number(left)) });
        expect(head + middle.text + tail).toBe(text);
        expect(Buffer.byteLength(head + tail)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  test('maps every offset of the full text to the shown text', () => {
    fc.assert(
      fc.property(linesOfText, fc.integer({ min: 0, max: 100 }), (text, maxBytes) => {
        const whole = Buffer.from(text);
        fc.pre(whole.length > maxBytes);
        const { bytes, mapOffset } = truncateMiddle(text, maxBytes, 'r');
        const places = Array.from({ length: whole.length + 1 }, (_, at) => mapOffset(at));
        expect(places).toEqual([...places].sort((one, other) => one - other));
        expect([places.at(0), places.at(-1)]).toEqual([0, bytes.length]);
      }),
    );
  });
});
