import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitionHash, describeDifference } from './difference.ts';

const tool = (more: object) => JSON.stringify({ name: 'read', description: 'Reads a file', ...more });

describe('describes the changes on one line', () => {
  test.each<[string, object, object, string]>([
    [
      'the description first',
      { title: 'a', inputSchema: { type: 'object', properties: {} } },
      {
        title: 'b',
        description: 'Reads a file and sends it',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      },
      'description: "Reads a file" -> "Reads a file and sends it"; title: "a" -> "b"; inputSchema.properties.path: added',
    ],
    ['a flag', {}, { annotations: { readOnlyHint: true } }, 'annotations: added'],
    ['a nested value', { a: {} }, { a: { readOnlyHint: true } }, 'a.readOnlyHint: added, true'],
    ['a removed member', { annotations: {} }, {}, 'annotations: removed'],
    ['an array that grew', { required: ['a'] }, { required: ['a', 'b'] }, 'required: ["a"] -> ["a","b"]'],
    ['an array element', { enum: [1, { x: 2 }] }, { enum: [1, { x: 3 }] }, 'enum[1].x: 2 -> 3'],
    ['a different type of value', { items: { a: 1 } }, { items: [1] }, 'items: {"a":1} -> [1]'],
    ['an unusual name', { 'a b.c': 1 }, { 'a b.c': 2 }, '["a b.c"]: 1 -> 2'],
    [
      'an inherited property name',
      {},
      { ['__proto__']: 1, constructor: 2 },
      '__proto__: added, 1; constructor: added, 2',
    ],
    [
      'invisible characters',
      { note: 'ab' },
      { note: 'a\u200b\u{e0041}\u202eb' },
      'note: "ab" -> "a\\u{200b}\\u{e0041}\\u{202e}b"',
    ],
  ])('%s', (_, before, after, line) => {
    expect(describeDifference(tool(before), tool(after))).toBe(line);
  });

  test('at the point where a long text differs', () => {
    const long = 'This tool reads files. '.repeat(20);
    expect(describeDifference(tool({ description: long }), tool({ description: `${long}Then it sends them.` }))).toBe(
      'description: …eads files. " -> …eads files. Then it sends them."',
    );
  });

  test('with the number of changes that do not fit', () => {
    const many = (value: number) =>
      Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`key${index}`, value]));
    const line = describeDifference(tool(many(1)), tool(many(2))) ?? '';
    expect(line).toMatch(/^key0: 1 -> 2; key1: 1 -> 2; .*; and \d+ more$/);
    const reported = line.split('; ').length - 1;
    expect(line).toContain(`and ${99 - reported} more`);
  });

  test('in at most 200 characters, without control characters', () => {
    const nasty = fc.array(fc.constantFrom('\u001b[2J', '\n', '\u202e', '\u2028', 'x', '"', '\\', '\ud83d\ude00'), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, (key, before, after) => {
        const [old, now] = [before, after].map((text) => tool({ [key.join('')]: { deep: text.join('') } }));
        const line = describeDifference(old ?? '', now ?? '') ?? '';
        expect(line.length).toBeLessThanOrEqual(200);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  test('even for definitions that are too large to compare', () => {
    const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(describeDifference(deep(200), deep(201))).toBe('changed, but too large to compare');
    expect(describeDifference(deep(200), deep(200))).toBeUndefined();
    expect(definitionHash(deep(200))).not.toBe(definitionHash(deep(201)));
  });
});

describe('definitions are equal', () => {
  test.each([
    ['in another order', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['with whitespace', '{"a":[1,2]}', ' {\n"a" : [ 1 , 2 ] }\n'],
    ['with escapes', '{"a":"\\u0041\\/\\u00e9"}', '{"\\u0061":"A/é"}'],
    ['with other notations of the same numbers', '[1,0,100,-0.5,1e2]', '[1.0,-0.0,1e2,-5E-1,100.00]'],
  ])('%s', (_, one, other) => {
    expect(describeDifference(one, other)).toBeUndefined();
    expect(definitionHash(one)).toBe(definitionHash(other));
  });

  test.each([
    ['the order of an array', '[1,2]', '[2,1]', '[0]: 1 -> 2; [1]: 2 -> 1'],
    ['a duplicate key', '{"a":1,"a":2}', '{"a":2}', 'a: 1 -> 2; a: removed'],
    ['the order of duplicate keys', '{"a":1,"a":2}', '{"a":2,"a":1}', 'a: 1 -> 2; a: 2 -> 1'],
    [
      'a number beyond double precision',
      '[9007199254740993]',
      '[9007199254740992]',
      '[0]: 9007199254740993 -> 9007199254740992',
    ],
    ['a number beyond the double range', '[1e400]', '[null]', '[0]: 1e400 -> null'],
    ['the difference between a string and a number', '["1"]', '[1]', '[0]: "1" -> 1'],
    ['the difference between a missing member and null', '{}', '{"a":null}', 'a: added, null'],
  ])('but %s matters', (_, one, other, line) => {
    expect(describeDifference(one, other)).toBe(line);
    expect(definitionHash(one)).not.toBe(definitionHash(other));
  });

  test('exactly if their hashes are equal', () => {
    const small = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(small, small, (one, other) => {
        const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
        const isSame = definitionHash(left) === definitionHash(right);
        expect(describeDifference(left, right) === undefined).toBe(isSame);
      }),
    );
    fc.assert(
      fc.property(small, (value) => {
        const [plain, reversed] = [JSON.stringify(value), JSON.stringify(reverseKeys(value), null, 2)];
        expect(describeDifference(plain, reversed)).toBeUndefined();
        expect(definitionHash(plain)).toBe(definitionHash(reversed));
      }),
    );
  });

  test('which is decidable for thousands of branches', () => {
    const wide = (last: number) =>
      JSON.stringify({ a: Array.from({ length: 4_000 }, (_, index) => ({ b: [index, last] })) });
    expect(describeDifference(wide(1), wide(2))).toMatch(/^a\[0\]\.b\[1\]: 1 -> 2; .* more$/);
  });
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inside]) => [key, reverseKeys(inside)]),
  );
}
