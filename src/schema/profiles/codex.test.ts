import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { isTooDeep } from '../json/nesting.ts';
import { codex } from './codex.ts';

const ANY = { type: ['string', 'number', 'boolean', 'object', 'array', 'null'], items: {} };

function rewriteProperty(schema: unknown): unknown {
  const { text } = codex.rewrite(JSON.stringify({ type: 'object', properties: { p: schema } }));
  return JSON.parse(text).properties.p;
}

describe('a property that Codex would lose or narrow', () => {
  test.each([
    ['no type', { description: 'd' }, { ...ANY, description: 'd' }],
    ['true', true, ANY],
    ['false', false, { ...ANY, description: 'never allowed' }],
    ['null', null, ANY],
    ['a type that nobody knows', { type: 'file' }, ANY],
    [
      'properties without a type',
      { properties: { a: { type: 'string' } } },
      { ...ANY, properties: { a: { type: 'string' } } },
    ],
    ['values without a type', { enum: [1, 'a', null] }, { type: ['number', 'string', 'null'], enum: [1, 'a', null] }],
    ['one value', { const: false }, { type: 'boolean', enum: [false] }],
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable of several',
      { anyOf: [{ type: 'string' }], nullable: true },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    ['a list of whatever', { type: 'array' }, { type: 'array', items: ANY }],
    ['a list of true', { type: 'array', items: true }, { type: 'array', items: ANY }],
    [
      'a schema for each item and no others',
      { type: 'array', items: [{ type: 'string' }, { type: 'number' }, { type: 'string' }], additionalItems: false },
      {
        type: 'array',
        description: 'in this order: string, number, string',
        items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      },
    ],
    [
      'as many items as schemas',
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], maxItems: 2, minItems: 2 },
      { type: 'array', description: 'in this order: number, number; 2 to 2 items', items: { type: 'number' } },
    ],
    [
      'a schema for the first item alone',
      { type: 'array', prefixItems: [{ type: 'number' }] },
      { type: 'array', description: 'in this order: number', items: { anyOf: [{ type: 'number' }, ANY] } },
    ],
    [
      'names by a pattern and no others',
      { type: 'object', patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
      {
        type: 'object',
        description: 'patternProperties {"^x":{"type":"number"}}',
        additionalProperties: { type: 'number' },
      },
    ],
    [
      'names by a pattern and others',
      { type: 'object', patternProperties: { '^x': { type: 'number' } }, additionalProperties: { type: 'string' } },
      {
        type: 'object',
        description: 'patternProperties {"^x":{"type":"number"}}',
        additionalProperties: { anyOf: [{ type: 'number' }, { type: 'string' }] },
      },
    ],
    [
      'one of several',
      { oneOf: [{ type: 'number', minimum: 1 }, { type: 'string' }] },
      { anyOf: [{ type: 'number', description: 'at least 1' }, { type: 'string' }] },
    ],
    [
      'one and any of several',
      { oneOf: [{ type: 'number' }], anyOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'string' }], allOf: [{ anyOf: [{ type: 'number' }] }] },
    ],
    [
      'a part without a type',
      { type: 'object', anyOf: [{ required: ['a'] }] },
      { type: 'object', anyOf: [{ type: 'object', required: ['a'] }] },
    ],
    ['a reference elsewhere', { $ref: 'https://example.com/a' }, { ...ANY, description: 'see https://example.com/a' }],
    [
      'a reference to nothing',
      { $ref: '#/$defs/none', type: 'string' },
      { type: 'string', description: 'see #/$defs/none' },
    ],
    [
      'a description that is no text',
      { type: 'string', description: { a: 1 } },
      { type: 'string', description: '{"a":1}' },
    ],
    ['a mark that only Codex itself may set', { type: 'string', encrypted: true }, { type: 'string' }],
    ['required that is no list of names', { type: 'object', required: ['a', 1] }, { type: 'object', required: ['a'] }],
  ])('%s', (_, schema, rewritten) => {
    expect(rewriteProperty(schema)).toEqual(rewritten);
  });
});

verifies('schema:codex:typeless', 'a missing type becomes every type, and tuple items any of their members', () => {
  expect(rewriteProperty({})).toEqual(ANY);
  expect(rewriteProperty({ type: 'array', items: [{ type: 'string' }, { type: 'null' }] })).toEqual({
    type: 'array',
    description: 'in this order: string, null',
    items: { anyOf: [{ type: 'string' }, { type: 'null' }, ANY] },
  });
});

test.each([
  [{ type: 'integer', minimum: 1, maximum: 10, default: 5, description: 'Count' }, 'Count (1 to 10; default 5)'],
  [
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 },
    'more than 0; less than 1; a multiple of 0.1',
  ],
  [{ type: 'string', minLength: 1, maxLength: 5, pattern: '^a' }, '1 to 5 characters; pattern ^a'],
  [
    { type: 'string', format: 'date-time', examples: ['x'], deprecated: true },
    'format date-time; for example ["x"]; deprecated',
  ],
  [{ type: 'string', title: 'The name of it' }, 'The name of it'],
  [{ type: 'string', title: 'P' }, undefined],
  [{ type: 'string', default: '\u202ex' }, 'default "x"'],
  [{ type: 'string', not: { enum: ['a'] } }, 'not {"enum":["a"]}'],
])('%o is told in words', (schema, description) => {
  expect(Reflect.get(Object(rewriteProperty(schema)), 'description')).toBe(description);
});

describe('at the top', () => {
  test.each([
    ['no object', [], { type: 'object' }],
    ['no type', {}, { type: 'object' }],
    ['several types', { type: ['object', 'null'] }, { type: 'object' }],
    [
      'a reference',
      {
        $ref: '#/definitions/A',
        definitions: { A: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
      },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    [
      'either the one or the other',
      {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'a' }, x: { type: 'number' } },
            required: ['kind', 'x'],
            additionalProperties: false,
          },
          { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'], additionalProperties: false },
        ],
      },
      {
        type: 'object',
        description: 'needs x or nothing more',
        properties: {
          kind: {
            anyOf: [
              { type: 'string', enum: ['a'] },
              { type: 'string', enum: ['b'] },
            ],
          },
          x: { type: 'number' },
        },
        required: ['kind'],
        additionalProperties: false,
      },
    ],
    [
      'one of two arguments',
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      { type: 'object', description: 'needs a or b', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    ],
  ])('%s', (_, schema, rewritten) => {
    expect(JSON.parse(codex.rewrite(JSON.stringify(schema)).text)).toEqual(rewritten);
  });
});

describe('references', () => {
  test.each([
    [
      'to definitions stay, unused definitions go',
      { p: { $ref: '#/$defs/a' } },
      { $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } }, b: {} } },
      { p: { $ref: '#/$defs/a' } },
      { $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } },
    ],
    [
      'to other places lead to a definition',
      { p: { type: 'string' }, q: { $ref: '#/properties/p' } },
      {},
      { p: { type: 'string' }, q: { $ref: '#/$defs/p' } },
      { $defs: { p: { type: 'string' } } },
    ],
    ['to the top stay', { p: { $ref: '#' } }, {}, { p: { $ref: '#' } }, {}],
    [
      'in a circle mean anything',
      { p: { $ref: '#/$defs/a' } },
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      { p: { ...ANY, description: 'see #/$defs/a' } },
      {},
    ],
    [
      'stood alone in old drafts',
      { p: { $ref: '#/$defs/a', type: 'number' } },
      { $schema: 'http://json-schema.org/draft-07/schema#', $defs: { a: { type: 'string' } } },
      { p: { $ref: '#/$defs/a' } },
      { $defs: { a: { type: 'string' } } },
    ],
  ])('%s', (_, properties, beside, rewrittenProperties, rewrittenBeside) => {
    const { text } = codex.rewrite(JSON.stringify({ type: 'object', properties, ...beside }));
    const { $schema: _schema, ...rewritten } = JSON.parse(text);
    expect(rewritten).toEqual({ type: 'object', properties: rewrittenProperties, ...rewrittenBeside });
  });
});

test('numbers beyond a double, doubled keys and odd names survive, in words where Codex could not read them', () => {
  const schema =
    '{"type":"object","properties":{"a":{"enum":[1],"enum":[9007199254740993,\n1.0],"default":1e400},' +
    '"b":{"enum":[{"c":-1e400},2]},"__proto__":{"const":-0}}}';
  const { text, rewrites } = codex.rewrite(schema);
  expect(text).toBe(
    '{"type":"object","properties":{"a":{"type":"number","description":"default 1e400","enum":[9007199254740993, 1.0]},' +
      '"b":{"type":["object","number"],"description":"one of [{\\"c\\":-1e400},2]"},"__proto__":{"type":"number","enum":[-0]}}}',
  );
  expect(rewrites).toContainEqual({
    path: 'properties.b',
    what: 'enum left out',
    why: 'it holds a number that no double holds, or is too deep: not every reader takes it',
    isNarrowing: false,
  });
});

test('a half of a character becomes the mark for one, and the rewrites say where', () => {
  const sound =
    '{"type":"object","properties":{"a\\udc00":{"type":"string","description":"\\uD83D\\uDE00 \\\\ud800"}}}';
  expect(codex.rewrite(sound)).toEqual({
    text: sound.replace('\\udc00', '\ufffd'),
    rewrites: [
      {
        path: 'properties.a\ufffd',
        what: 'half a character became \ufffd',
        why: 'no text can hold it, and Codex loses the whole server',
        isNarrowing: false,
      },
    ],
  });
  const awkward = '{"type":"object","properties":{"a":{"const":"\\ud800"}}}';
  expect(codex.rewrite(awkward)).toMatchObject({
    text: '{"type":"object","properties":{"a":{"type":"string","enum":["\ufffd"]}}}',
    rewrites: [{ path: 'properties.a.const' }, { path: 'properties.a' }],
  });
});

test('what would be nested deeper than Codex reads is cut', () => {
  const patterns = `${'{"patternProperties":{"^a":'.repeat(45)}{"type":"string"}${'},"additionalProperties":{"type":"null"}}'.repeat(45)}`;
  const { text, rewrites } = codex.rewrite(`{"type":"object","properties":{"a":${patterns}}}`);
  expect(isTooDeep(text)).toBe(false);
  expect(rewrites).toContainEqual(expect.objectContaining({ what: 'contents left out' }));
});

test('what Codex takes as it is stays as it was written', () => {
  const schema = '{ "$schema":"x", "type":"object","properties":{"a":{"type":["string","null"],"x-vendor":1.0}} }';
  expect(codex.rewrite(schema)).toEqual({ text: schema, rewrites: [] });
});

test('each rewrite says where, what and why', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 }, b: {} } };
  expect(codex.rewrite(JSON.stringify(schema)).rewrites).toEqual([
    { path: 'properties.a', what: 'told in words: at least 1', why: 'Codex drops what says it', isNarrowing: false },
    {
      path: 'properties.b',
      what: 'type added: every type',
      why: 'Codex drops the description of a schema without a type, or guesses the type',
      isNarrowing: false,
    },
  ]);
});
