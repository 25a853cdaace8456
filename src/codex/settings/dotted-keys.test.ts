import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nestKeys } from './dotted-keys.ts';

describe('rejects keys by name', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['an empty key', { '': 1 }, 'config: the key "" cannot be used: a part of it is empty.'],
    ['an empty segment', { 'a..b': 1 }, 'config: the key a..b cannot be used: a part of it is empty.'],
    ['a trailing dot', { 'a.': 1 }, 'config: the key a. cannot be used: a part of it is empty.'],
    ['a leading dot', { '.a': 1 }, 'config: the key .a cannot be used: a part of it is empty.'],
    ['an empty quoted segment', { 'a.""': 1 }, 'config: the key "a.\\"\\"" cannot be used: a part of it is empty.'],
    ['an unterminated quote', { 'a."b': 1 }, 'config: the key "a.\\"b" cannot be used: its quotes do not match.'],
    [
      'text after a quoted segment',
      { '"a"b': 1 },
      'config: the key "\\"a\\"b" cannot be used: its quotes do not match.',
    ],
    ['an unknown escape', { '"\\q"': 1 }, 'config: the key "\\"\\\\q\\"" cannot be used: its quotes do not match.'],
    ['a line break', { 'a\nb': 1 }, 'config: the key "a\\nb" cannot be used: its quotes do not match.'],
    [
      '__proto__',
      { 'a.__proto__.b': 1 },
      'config: the key a.__proto__.b cannot be used: __proto__ is not the name of a setting.',
    ],
    [
      '__proto__ in a value',
      { a: JSON.parse('{"b":{"__proto__":{"c":1}}}') },
      'config: the key a cannot be used: __proto__ is not the name of a setting.',
    ],
    [
      'a key inside a value',
      { a: 1, 'a.b': 2 },
      'config: the key a.b cannot be used: another key sets the same value.',
    ],
    [
      'a value that replaces a table',
      { 'a.b': 2, a: 1 },
      'config: the key a cannot be used: another key sets the same value.',
    ],
    [
      'the same key twice',
      { a: { b: 1 }, 'a.b': 1 },
      'config: the key a.b cannot be used: another key sets the same value.',
    ],
    [
      'a key inside an array',
      { a: [1], 'a.b': 2 },
      'config: the key a.b cannot be used: another key sets the same value.',
    ],
    [
      'more than a hundred segments',
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
])('nests %j as %j', (entries, nested) => expect(nestKeys(entries)).toStrictEqual(nested));

test('does not modify the input', () => {
  const given = { a: { b: { c: 1 } }, 'a.b.d': 2 };
  const copy = structuredClone(given);
  nestKeys(given);
  expect(given).toStrictEqual(copy);
});

test('a path of any quoted parts leads to its value', () => {
  const part = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__');
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      let found: unknown = nestKeys({ [parts.map((text) => JSON.stringify(text)).join('.')]: 'value' });
      for (const name of parts) found = Object.getOwnPropertyDescriptor(found, name)?.value;
      expect(found).toBe('value');
    }),
  );
});
