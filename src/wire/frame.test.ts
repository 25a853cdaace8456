import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../test/property-runs.ts';
import { frameBytes, frameLength, frameText } from './frame.ts';
import { isUtf8Frame } from './json/utf8.ts';

const BUDGET = propertyRuns(500);

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => Buffer.from(text)),
  // Bytes that start, continue or break characters are rare among random bytes, so they are made common here.
  fc
    .array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc2, 0xc0, 0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xf8, 0xff), { maxLength: 10 })
    .map((bytes) => Buffer.from(bytes)),
);

test('a frame is valid UTF-8 exactly when its joined bytes are', () => {
  fc.assert(
    fc.property(fc.array(anyBytes, { minLength: 1, maxLength: 6 }), (pieces) => {
      expect(isUtf8Frame(pieces)).toBe(isUtf8(Buffer.concat(pieces)));
    }),
    BUDGET,
  );
});

test('valid text stays valid at every split', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 5 }), (value, size) => {
      const bytes = Buffer.from(value);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(isUtf8Frame(pieces)).toBe(true);
      expect(frameText(pieces)).toBe(bytes.toString());
    }),
    BUDGET,
  );
});

test('rejects an endless run of continuation bytes at once', () => {
  const pieces = Array.from({ length: 100_000 }, () => Buffer.from([0x80]));
  expect(isUtf8Frame(pieces)).toBe(false);
});

test('does not copy a frame of one piece', () => {
  const piece = Buffer.from('{}');
  expect(frameBytes([piece])).toBe(piece);
  expect(frameLength([piece, piece])).toBe(4);
});
