import { expect, test } from 'vitest';
import { Utf16Writer } from './utf16-writer.ts';

test('is empty before the first write', () => {
  const writer = new Utf16Writer(0);
  expect({ text: writer.toString(), last: writer.last, length: writer.length }).toEqual({
    text: '',
    last: undefined,
    length: 0,
  });
});

test('returns any code units of any length, whatever the initial capacity', () => {
  const units = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 0x10000);
  const writer = new Utf16Writer(3);
  for (const unit of units) writer.write(unit);
  const text = units.map((unit) => String.fromCharCode(unit)).join('');
  expect(writer.toString() === text).toBe(true);
  expect({ last: writer.last, length: writer.length }).toEqual({ last: units.at(-1), length: units.length });
});

test('drops all code units one by one', () => {
  const writer = new Utf16Writer(0);
  for (let unit = 1; unit <= 1000; unit++) writer.write(unit);
  const taken: (number | undefined)[] = [];
  for (let left = writer.length; left > 1; left--) {
    taken.push(writer.last);
    writer.dropLast();
  }
  expect(taken).toEqual(Array.from({ length: 999 }, (_, index) => 1000 - index));
  writer.write(7);
  expect(writer.toString()).toBe('\u0001\u0007');
});
