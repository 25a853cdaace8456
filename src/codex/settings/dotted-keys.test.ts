import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nestKeys } from './dotted-keys.ts';

describe('keys that are refused, by name', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['an empty key', { '': 1 }, 'config: the key "" cannot be used: a part of it is empty.'],
    ['an empty part', { 'a..b': 1 }, 'config: the key a..b cannot be used: a part of it is empty.'],
    ['a dot at the end', { 'a.': 1 }, 'config: the key a. cannot be used: a part of it is empty.'],
    ['a dot at the start', { '.a': 1 }, 'config: the key .a cannot be used: a part of it is empty.'],
    ['an empty quoted part', { 'a.""': 1 }, 'config: the key "a.\\"\\"" cannot be used: a part of it is empty.'],
    ['an open quote', { 'a."b': 1 }, 'config: the key "a.\\"b" cannot be used: its quotes do not match.'],
    ['a word after a quote', { '"a"b': 1 }, 'config: the key "\\"a\\"b" cannot be used: its quotes do not match.'],
    ['an unknown escape', { '"\\q"': 1 }, 'config: the key "\\"\\\\q\\"" cannot be used: its quotes do not match.'],
    ['a line break', { 'a\nb': 1 }, 'config: the key "a\\nb" cannot be used: its quotes do not match.'],
    [
      'the prototype',
      { 'a.__proto__.b': 1 },
      'config: the key a.__proto__.b cannot be used: __proto__ is no name of a setting.',
    ],
    [
      'the prototype in a value',
      { a: JSON.parse('{"b":{"__proto__":{"c":1}}}') },
      'config: the key a cannot be used: __proto__ is no name of a setting.',
    ],
    ['a part of a value', { a: 1, 'a.b': 2 }, 'config: the key a.b cannot be used: another key sets the same place.'],
    ['a value over a table', { 'a.b': 2, a: 1 }, 'config: the key a cannot be used: another key sets the same place.'],
    [
      'the same place twice',
      { a: { b: 1 }, 'a.b': 1 },
      'config: the key a.b cannot be used: another key sets the same place.',
    ],
    ['a part of a list', { a: [1], 'a.b': 2 }, 'config: the key a.b cannot be used: another key sets the same place.'],
    [
      'more than a hundred parts',
      { [Array(102).fill('a').join('.')]: 1 },
      `config: the key ${Array(102).fill('a').join('.')} cannot be used: it nests deeper than 100.`,
    ],
  ])('%s', (_what, entries, message) => {
    expect(() => nestKeys(entries)).toThrow(
      expect.objectContaining({ code: 'BAD_ARGUMENTS', message, data: { key: Object.keys(entries).at(-1) } }),
    );
    expect(Object.hasOwn(Object.prototype, 'b')).toBe(false);
  });
});

test.each<[Readonly<Record<string, unknown>>, unknown]>([
  [{}, {}],
  [{ model: 'm' }, { model: 'm' }],
  [
    { 'a.b': 1, 'a.c': 2, d: null },
    { a: { b: 1, c: 2 }, d: null },
  ],
  [{ 'a."b.c".d': [1] }, { a: { 'b.c': { d: [1] } } }],
  [{ 'projects."/home/me.x".trust_level': 'trusted' }, { projects: { '/home/me.x': { trust_level: 'trusted' } } }],
  [{ "a.'C:\\new'.b": 1 }, { a: { 'C:\\new': { b: 1 } } }],
  [{ 'a."say \\"hi\\"\\u0021"': 1 }, { a: { 'say "hi"!': 1 } }],
  [{ ' a . b c ': 1 }, { a: { 'b c': 1 } }],
  [{ a: { b: { c: 1 } }, 'a.b.d': 2, 'a.e': { f: 3 } }, { a: { b: { c: 1, d: 2 }, e: { f: 3 } } }],
  [{ a: { 'b.c': 1 } }, { a: { 'b.c': 1 } }],
  [{ 'a.b': 1, a: {} }, { a: { b: 1 } }],
  [
    { 'a.constructor': 1, 'toString.b': 2 },
    { a: { constructor: 1 }, toString: { b: 2 } },
  ],
])('%j becomes %j', (entries, nested) => expect(nestKeys(entries)).toStrictEqual(nested));

test('what was given is left as it was', () => {
  const given = { a: { b: { c: 1 } }, 'a.b.d': 2 };
  const copy = structuredClone(given);
  nestKeys(given);
  expect(given).toStrictEqual(copy);
});

test('a path of quoted parts leads to its value, whatever the parts are', () => {
  const part = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__');
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      let found: unknown = nestKeys({ [parts.map((text) => JSON.stringify(text)).join('.')]: 'value' });
      for (const name of parts) found = Object.getOwnPropertyDescriptor(found, name)?.value;
      expect(found).toBe('value');
    }),
  );
});
