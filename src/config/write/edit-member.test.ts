import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { blankComments } from '../json/comments.ts';
import { removeMember, setMember } from './edit-member.ts';

const parse = (text: string): unknown => JSON.parse(blankComments(text));

describe('a new member', () => {
  test('follows the last member and its comment, in the same style', () => {
    const before = '{\n\t"a": 1, // about a\n\t"b": { "c": 2 } // about b\n\t// the end\n}\n';
    expect(setMember(before, ['d'], { e: [1] })).toBe(
      '{\n\t"a": 1, // about a\n\t"b": { "c": 2 }, // about b\n\t"d": {\n\t\t"e": [\n\t\t\t1\n\t\t]\n\t}\n\t// the end\n}\n',
    );
  });

  test.each([
    ['an object with a trailing comma', '{\n  "a": 1, // x\n}', '{\n  "a": 1, // x\n  "n": true,\n}'],
    [
      'an object with a comma on its own line',
      '{\n  "a": 1 // x\n  , /* y */\n}',
      '{\n  "a": 1 // x\n  , /* y */\n  "n": true,\n}',
    ],
    ['a single line', '{"a":1}', '{"a":1, "n": true}'],
    ['a single line with a comment', '{ "a": 1 /* x */ }', '{ "a": 1, /* x */ "n": true }'],
    ['a single line with a trailing comma', '{ "a": 1, }', '{ "a": 1, "n": true }'],
    ['nothing', '{}', '{\n  "n": true\n}'],
    ['an object with only spaces', '{  }', '{\n  "n": true\n}'],
    ['an empty object on two lines', '{\n}', '{\n  "n": true\n}'],
    ['an object with a comment after the brace', '{ // x\n}', '{ // x\n  "n": true\n}'],
    ['an object with only a comment', '{\n  // x\n}', '{\n  "n": true\n  // x\n}'],
    ['CRLF lines', '{\r\n    "a": 1\r\n}\r\n', '{\r\n    "a": 1,\r\n    "n": true\r\n}\r\n'],
    ['an object whose brace closes on the last line', '{\n  "a": 1 }', '{\n  "a": 1,\n  "n": true\n}'],
    ['an object with a two-line comment', '{\n  "a": 1 /* x\n y */\n}', '{\n  "a": 1, /* x\n y */\n  "n": true\n}'],
  ])('fits into %s', (_, before, after) => {
    expect(setMember(before, ['n'], true)).toBe(after);
    expect(parse(after)).toMatchObject({ n: true });
  });

  test('creates missing parent objects, also in place of null', () => {
    expect(setMember('{\n  "version": 1\n}\n', ['mcp', 'servers', 'a'], {})).toBe(
      '{\n  "version": 1,\n  "mcp": {\n    "servers": {\n      "a": {}\n    }\n  }\n}\n',
    );
    expect(parse(setMember('{ "mcp": null }', ['mcp', 'servers', 'a'], 1))).toEqual({ mcp: { servers: { a: 1 } } });
    expect(setMember('{"mcp":{"servers":{}}}', ['mcp', 'servers', 'a'], { b: 1 })).toBe(
      '{"mcp":{"servers":{ "a": { "b": 1 } }}}',
    );
  });
});

test('replaces the value of an existing member in place', () => {
  const before = '{\n  "a": /* why */ false, // x\n  "b": {"c": {} }\n}';
  expect(setMember(before, ['a'], true)).toBe('{\n  "a": /* why */ true, // x\n  "b": {"c": {} }\n}');
  expect(setMember(before, ['b'], { c: 1 })).toBe('{\n  "a": /* why */ false, // x\n  "b": {\n    "c": 1\n  }\n}');
  expect(setMember(before, ['b', 'c'], { d: 1 })).toContain('"b": {"c": { "d": 1 } }');
});

describe('removes a member', () => {
  test.each([
    ['first', 'a', '{\n  "b": 2, // y\n  // z\n  "c": 3 // w\n}'],
    ['in the middle', 'b', '{\n  "a": 1, // x\n  // z\n  "c": 3 // w\n}'],
    ['last', 'c', '{\n  "a": 1, // x\n  "b": 2 // y\n  // z\n}'],
  ])('with its line: %s', (_, key, after) => {
    expect(removeMember('{\n  "a": 1, // x\n  "b": 2, // y\n  // z\n  "c": 3 // w\n}', [key])).toBe(after);
  });

  test.each([
    ['{"a":1,"b":2}', 'a', '{"b":2}'],
    ['{"a":1,"b":2}', 'b', '{"a":1}'],
    ['{ "a": 1 }', 'a', '{ }'],
    ['{ "a": 1, /* x */ "b": 2 }', 'a', '{ /* x */ "b": 2 }'],
    ['{ "a": 1 /* x */, "b": 2 }', 'a', '{ /* x */ "b": 2 }'],
    ['{\n  "a": 1,\n  "b": 2,\n}', 'b', '{\n  "a": 1,\n}'],
    ['{\n  "a": 1 // x\n  , "b": 2\n}', 'b', '{\n  "a": 1 // x\n   \n}'],
    ['{\n  "a": 1 // x\n  , "b": 2\n}', 'a', '{\n   "b": 2\n}'],
    ['{\r\n  "a": 1,\r\n  "b": 2\r\n}', 'a', '{\r\n  "b": 2\r\n}'],
    ['{\n  "a": 1, "b": 2\n}', 'a', '{\n  "b": 2\n}'],
    ['{ "a": 1 }', 'z', '{ "a": 1 }'],
  ])('from %j: %s', (before, key, after) => {
    expect(removeMember(before, [key])).toBe(after);
    expect(() => parse(after)).not.toThrow();
  });
});

/** Objects in the layouts that people use, with comments, whitespace, line breaks and trailing commas anywhere. */
const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', ' /* , } */ ', ' // { "x": 1,\n', '\n\n  /* a\n b */ ');
const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)).map((value) => JSON.stringify(value));
const { object } = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, tie('object'), tie('list')),
  list: fc
    .array(fc.tuple(gap, tie('value'), gap), { maxLength: 3 })
    .map((parts) => `[${parts.map((p) => p.join('')).join(',')}]`),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(fc.string({ maxLength: 4 }), gap, gap, tie('value'), gap), {
        maxLength: 4,
        selector: ([key]) => key,
      }),
      fc.boolean(),
      gap,
    )
    .map(([members, hasComma, end]) => {
      const text = members.map(([key, a, b, value, c]) => `${a}${JSON.stringify(key)}${b}:${value}${c}`).join(',');
      return `{${text}${hasComma && members.length > 0 ? ',' : ''}${end}}`;
    }),
}));

const commentsOf = (text: string) =>
  text.match(/"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g)?.filter((part) => part.startsWith('/')) ?? [];

describe('for any text', () => {
  test('adding and removing a member keeps all other values and every comment', () => {
    fc.assert(
      fc.property(object, fc.jsonValue({ maxDepth: 2 }), (text, value) => {
        const before = parse(text) as Record<string, unknown>;
        fc.pre(!Object.hasOwn(before, 'new key'));
        const added = setMember(text, ['new key'], value);
        expect(parse(added)).toEqual({ ...before, 'new key': JSON.parse(JSON.stringify(value)) });
        expect(commentsOf(added)).toEqual(commentsOf(text));
        // Only one member and a comma are new.
        expect(isSubsequence(text.replace(/\s/g, ''), added.replace(/\s/g, ''))).toBe(true);
        expect(parse(removeMember(added, ['new key']))).toEqual(before);
      }),
      propertyRuns(500),
    );
  });

  test('removing a member removes nothing else', () => {
    fc.assert(
      fc.property(object, fc.nat(), (text, index) => {
        const before = parse(text) as Record<string, unknown>;
        const keys = Object.keys(before);
        fc.pre(keys.length > 0);
        const key = keys[index % keys.length] ?? '';
        const { [key]: _, ...rest } = before;
        const removed = removeMember(text, [key]);
        expect(parse(removed)).toEqual(rest);
        expect(isSubsequence(removed, text)).toBe(true);
      }),
      propertyRuns(500),
    );
  });
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const char of whole) if (char === part[at]) at++;
  return at === part.length;
}
