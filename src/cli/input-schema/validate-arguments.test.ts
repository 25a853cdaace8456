import { describe, expect, test } from 'vitest';
import { validateArguments } from './validate-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1 },
    name: { type: 'string', minLength: 2, maxLength: 5 },
    label: { enum: ['bug', 'idea'] },
    owner: { $ref: '#/$defs/owner' },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    either: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  },
  required: ['limit'],
  additionalProperties: false,
  $defs: { owner: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
};

describe('reports each invalid field with the allowed values', () => {
  test.each([
    ['a wrong type', { limit: 'ten' }, 'limit', '"ten" is not an integer; allowed: integer ≥ 1'],
    ['out of range', { limit: 0 }, 'limit', '0 is not allowed; allowed: integer ≥ 1'],
    ['missing', {}, 'limit', 'required (integer ≥ 1)'],
    ['not in the enum', { limit: 1, label: 'x' }, 'label', '"x" is not allowed; allowed: "bug" or "idea"'],
    ['too long', { limit: 1, name: 'abcdef' }, 'name', '"abcdef" is not allowed; allowed: text of 2 to 5 characters'],
    ['unknown', { limit: 1, lable: 'bug' }, 'lable', 'there is no such argument. Did you mean label?'],
    ['missing in a nested object', { limit: 1, owner: {} }, 'owner.id', 'required (number)'],
    [
      'wrong type behind a reference',
      { limit: 1, owner: { id: 'x' } },
      'owner.id',
      '"x" is not a number; allowed: number',
    ],
    ['wrong type in an array', { limit: 1, tags: ['a', 2] }, 'tags.1', '2 is not text; allowed: text'],
    [
      'too many items',
      { limit: 1, tags: ['a', 'b', 'c'] },
      'tags',
      '["a","b","c"] is not allowed; allowed: list of text of at most 2 elements',
    ],
    ['no match in a union', { limit: 1, either: 'x' }, 'either', '"x" is not allowed; allowed: integer or null'],
    [
      'too many digits',
      { limit: '9007199254740993' },
      'limit',
      '"9007199254740993" has too many digits to be sent exactly; allowed: integer ≥ 1',
    ],
  ])('%s', async (_, value, field, message) => {
    expect(await validateArguments(value, schema)).toEqual({ kind: 'checked', faults: [{ field, message }] });
  });

  test.each([
    ['all of several schemas', { allOf: [{ type: 'integer' }, { minimum: 5 }] }, 2, '2 is not allowed; allowed: ≥ 5'],
    ['one of several schemas', { anyOf: [{ minimum: 5 }, { maximum: 1 }] }, 2, '2 is not allowed; allowed: ≥ 5 or ≤ 1'],
    ['a negated schema', { not: { const: 2 } }, 2, /^2 is not allowed; (?!allowed)/],
    ['a non-array', { allOf: [{ $ref: '#/properties/some' }] }, 2, '2 is not a list; allowed: list'],
    [
      'one of several object schemas',
      { oneOf: ['v', 'w'].map((name) => ({ type: 'object', required: ['kind', name] })) },
      2,
      '2 is not allowed; allowed: object with kind, v or object with kind, w',
    ],
    ['duplicate items', { type: 'array', uniqueItems: true }, [1, 1], /^\[1,1\] is not allowed; .*[Dd]uplicate/],
    ['a constant', { const: null }, 2, '2 is not allowed; allowed: null'],
  ])('never as "anything": %s', async (_, one, value, message) => {
    const properties = { one, some: { type: 'array' } };
    const checked = await validateArguments({ one: value }, { type: 'object', properties });
    const reported = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(checked).toEqual({ kind: 'checked', faults: [{ field: 'one', message: reported }] });
  });

  test.each([
    [{ type: 'string' }, 'required (text). There is mesage: did you mean message?'],
    [
      { allOf: [{ type: 'integer' }, { minimum: 5 }] },
      'required (integer and ≥ 5). There is mesage: did you mean message?',
    ],
    [{}, 'required. There is mesage: did you mean message?'],
  ])('that is missing, with the likely typo: %j', async (message, words) => {
    const loose = { type: 'object', properties: { message, other: {} }, required: ['message'] };
    expect(await validateArguments({ mesage: 'hi', other: 1 }, loose)).toEqual({
      kind: 'checked',
      faults: [{ field: 'message', message: words }],
    });
  });

  test.each([
    [
      'either of two arguments',
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      'the arguments',
      / allowed: object with a or object with b$/,
    ],
    ['one that another argument requires', { dependentRequired: { n: ['m'] } }, { n: 5 }, 'the arguments', /"m"/],
    [
      'one that a condition requires',
      // biome-ignore lint/suspicious/noThenProperty: this is a schema, not a promise
      { if: { required: ['n'] }, then: { required: ['uu'] } },
      { n: 1 },
      'uu',
      /^required \(text in the form "uuid"\)$/,
    ],
  ])('that is missing under another rule: %s', async (_, rule, value, field, words) => {
    const properties = { a: {}, b: {}, n: {}, m: {}, uu: { type: 'string', format: 'uuid' } };
    const checked = await validateArguments(value, { type: 'object', properties, ...rule });
    expect(checked).toEqual({ kind: 'checked', faults: [{ field, message: expect.stringMatching(words) }] });
  });

  test.each([
    [{ kind: 'a', v: 'x' }, [['one.v', '"x" is not an integer; allowed: integer']]],
    [{ kind: 'b' }, [['one.w', 'required (text)']]],
    [
      { kind: 'c' },
      [['one', '{"kind":"c"} is not allowed; allowed: object with kind, v or object with kind, w or null']],
    ],
  ])('within the matching alternative: %j', async (value, reported) => {
    const member = (kind: string, name: string, type: string) => ({
      ...{ type: 'object', properties: { kind: { const: kind }, [name]: { type } }, required: ['kind', name] },
    });
    const one = { oneOf: [member('a', 'v', 'integer'), member('b', 'w', 'string'), { type: 'null' }] };
    const checked = await validateArguments({ one: value }, { type: 'object', properties: { one } });
    const faults = reported.map(([field, message]) => ({ field, message }));
    expect(checked).toEqual({ kind: 'checked', faults });
  });

  test('all at once', async () => {
    const checked = await validateArguments({ limit: '1', label: 'x', what: 1 }, schema);
    expect(checked.kind === 'checked' && checked.faults.map(({ field }) => field)).toEqual(['limit', 'label', 'what']);
  });

  test('with control characters escaped', async () => {
    const checked = await validateArguments({ limit: 1, '\u001b[31m': '\u202e' }, schema);
    const message = 'there is no such argument. There are: limit, name, label, owner, tags, either';
    expect(checked).toEqual({ kind: 'checked', faults: [{ field: '\\u001b[31m', message }] });
  });
});

test('reports no faults for valid arguments', async () => {
  const value = { limit: 3, name: 'abc', owner: { id: 1 }, tags: [], either: null };
  expect(await validateArguments(value, schema)).toEqual({ kind: 'checked', faults: [] });
});

describe('leaves an unusable schema to the server', () => {
  const branches = Array.from({ length: 20_000 }, () => ({ type: 'string' }));
  const doubling = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, at === 29 ? { type: 'string' } : { allOf: [next, next] }];
    }),
  );
  test.each([
    ['no schema at all', undefined, /^it has no schema$/],
    ['a schema over the size limit', { anyOf: branches }, /^its schema is larger than 256 KiB$/],
    [
      'a pattern with catastrophic backtracking',
      { properties: { q: { pattern: '^(a+)+$' } } },
      /^its schema takes too long to check$/,
    ],
    [
      'references that expand exponentially',
      { properties: { q: { $ref: '#/$defs/d0' } }, $defs: doubling },
      /^its schema /,
    ],
    ['circular references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, /^its schema cannot be used: /],
    [
      'a reference to another document',
      { properties: { q: { $ref: 'http://127.0.0.1:9/s' } } },
      /Unresolved \$ref "http/,
    ],
    ['an invalid pattern', { properties: { q: { pattern: '(' } } }, /^its schema cannot be used: /],
  ])('%s', async (_, hostile, why) => {
    const startedAt = performance.now();
    const checked = await validateArguments({ q: `${'a'.repeat(40)}!` }, hostile, 1_000);
    expect(checked).toEqual({ kind: 'unchecked', why: expect.stringMatching(why) });
    // Without the limit, the first two would take years.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});
