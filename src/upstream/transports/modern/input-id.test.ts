import { expect, test } from 'vitest';
import { inputKeyOf, toInputId } from './input-id.ts';

test.each(['who', '', 'a:b', 'two\nlines', '"ü"', '__proto__'])('the id contains the key %j', (key) => {
  expect(inputKeyOf(toInputId(7, 1, key))).toBe(key);
});

test.each(['input-7-1', 'q', '', 7, null, undefined])('the id %j contains no key', (id) => {
  expect(inputKeyOf(id)).toBeUndefined();
});
