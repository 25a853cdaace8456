import { expect, test } from 'vitest';
import { toOutgoingMessage } from './pass.ts';

test('a small message goes on as text, byte for byte', () => {
  const text = '{ "method":"é😀", "params":{"x":1.0,"x":9007199254740993} }';
  expect(toOutgoingMessage([Buffer.from(text)])).toBe(text);
  const bytes = Buffer.from(text);
  expect(toOutgoingMessage([bytes.subarray(0, 13), bytes.subarray(13)])).toBe(text);
});

test('a large one goes on in the buffers in which it came', () => {
  const frame = [Buffer.from(`{"x":"${'x'.repeat(20_000)}`), Buffer.from('"}')];
  expect(toOutgoingMessage(frame)).toEqual({ pieces: frame, bytes: 20_008 });
});

test.each([
  ['a line break in it', Buffer.from('{"x":\n1}')],
  ['a carriage return in it', Buffer.from('{"x":\r1}')],
  ['something else than an object', Buffer.from('[1]')],
  ['half a character in it', Buffer.from([0x7b, 0xc3, 0x7d])],
  ['nothing in it', Buffer.from('')],
])('what would break the line or the text of its reader does not go on: %s', (_, bytes) => {
  expect(toOutgoingMessage([bytes])).toBeUndefined();
});
