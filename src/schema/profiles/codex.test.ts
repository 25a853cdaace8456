import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { isTooDeep } from '../json/nesting.ts';
import { codex } from './codex.ts';

const ANY = { type: ['string', 'number', 'boolean', 'object', 'array', 'null'], items: {} };

function rewriteProperty(schema: unknown): unknown {
  const { text } = codex.rewrite(JSON.stringify({ type: 'object', properties: { p: schema } }));
  return JSON.parse(text).properties.p;
}

describe('repairs a property that Codex would lose or narrow', () => {
  test.each([
    ['no type', { description: 'd' }, { ...ANY, description: 'd' }],
    ['true', true, ANY],
    ['false', false, { ...ANY, description: 'never allowed' }],
    ['null', null, ANY],
    ['an unknown type', { type: 'file' }, ANY],
    [
      'properties without a type',
      { properties: { a: { type: 'string' } } },
      { ...ANY, properties: { a: { type: 'string' } } },
    ],
    ['an enum without a type', { enum: [1, 'a', null] }, { type: ['number', 'string', 'null'], enum: [1, 'a', null] }],
    ['a const', { const: false }, { type: 'boolean', enum: [false] }],
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable with anyOf',
      { anyOf: [{ type: 'string' }], nullable: true },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    ['an array without items', { type: 'array' }, { type: 'array', items: ANY }],
    ['an array with items set to true', { type: 'array', items: true }, { type: 'array', items: ANY }],
    [
      'tuple items and no additional items',
      { type: 'array', items: [{ type: 'string' }, { type: 'number' }, { type: 'string' }], additionalItems: false },
      {
        type: 'array',
        description: 'in this order: string, number, string',
        items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      },
    ],
    [
      'prefixItems with a fixed length',
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], maxItems: 2, minItems: 2 },
      { type: 'array', description: 'in this order: number, number; 2 to 2 items', items: { type: 'number' } },
    ],
    [
      'prefixItems for only the first item',
      { type: 'array', prefixItems: [{ type: 'number' }] },
      { type: 'array', description: 'in this order: number', items: { anyOf: [{ type: 'number' }, ANY] } },
    ],
    [
      'pattern properties and no others',
      { type: 'object', patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
      {
        type: 'object',
        description: 'patternProperties {"^x":{"type":"number"}}',
        additionalProperties: { type: 'number' },
      },
    ],
    [
      'pattern properties and others',
      { type: 'object', patternProperties: { '^x': { type: 'number' } }, additionalProperties: { type: 'string' } },
      {
        type: 'object',
        description: 'patternProperties {"^x":{"type":"number"}}',
        additionalProperties: { anyOf: [{ type: 'number' }, { type: 'string' }] },
      },
    ],
    [
      'one of several schemas',
      { oneOf: [{ type: 'number', minimum: 1 }, { type: 'string' }] },
      { anyOf: [{ type: 'number', description: 'at least 1' }, { type: 'string' }] },
    ],
    [
      'oneOf together with anyOf',
      { oneOf: [{ type: 'number' }], anyOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'string' }], allOf: [{ anyOf: [{ type: 'number' }] }] },
    ],
    [
      'a part without a type',
      { type: 'object', anyOf: [{ required: ['a'] }] },
      { type: 'object', anyOf: [{ type: 'object', required: ['a'] }] },
    ],
    ['an external reference', { $ref: 'https://example.com/a' }, { ...ANY, description: 'see https://example.com/a' }],
    [
      'a broken reference',
      { $ref: '#/$defs/none', type: 'string' },
      { type: 'string', description: 'see #/$defs/none' },
    ],
    [
      'a description that is not a string',
      { type: 'string', description: { a: 1 } },
      { type: 'string', description: '{"a":1}' },
    ],
    ['a flag that only Codex may set', { type: 'string', encrypted: true }, { type: 'string' }],
    ['required with a non-string', { type: 'object', required: ['a', 1] }, { type: 'object', required: ['a'] }],
  ])('%s', (_, schema, rewritten) => {
    expect(rewriteProperty(schema)).toEqual(rewritten);
  });
});

verifies(
  'schema:codex:typeless',
  'a missing type becomes every type, and tuple items become any of their members',
  () => {
    expect(rewriteProperty({})).toEqual(ANY);
    expect(rewriteProperty({ type: 'array', items: [{ type: 'string' }, { type: 'null' }] })).toEqual({
      type: 'array',
      description: 'in this order: string, null',
      items: { anyOf: [{ type: 'string' }, { type: 'null' }, ANY] },
    });
  },
);

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
])('%o is described in words', (schema, description) => {
  expect(Reflect.get(Object(rewriteProperty(schema)), 'description')).toBe(description);
});

describe('at the top level', () => {
  test.each([
    ['a non-object', [], { type: 'object' }],
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
      'a choice between two objects',
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
      'a choice between two required arguments',
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
      'to definitions are kept, and unused definitions are removed',
      { p: { $ref: '#/$defs/a' } },
      { $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } }, b: {} } },
      { p: { $ref: '#/$defs/a' } },
      { $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } },
    ],
    [
      'to other locations become references to a definition',
      { p: { type: 'string' }, q: { $ref: '#/properties/p' } },
      {},
      { p: { type: 'string' }, q: { $ref: '#/$defs/p' } },
      { $defs: { p: { type: 'string' } } },
    ],
    ['to the root are kept', { p: { $ref: '#' } }, {}, { p: { $ref: '#' } }, {}],
    [
      'in a circle accept anything',
      { p: { $ref: '#/$defs/a' } },
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      { p: { ...ANY, description: 'see #/$defs/a' } },
      {},
    ],
    [
      'override their siblings in old drafts',
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

test('keeps numbers outside the double range, duplicate keys and unusual names, in words if necessary', () => {
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
    why: 'it contains a number that no double can represent, or is nested too deeply: not every parser accepts it',
    isNarrowing: false,
  });
});

test('replaces a lone surrogate, and reports where', () => {
  const sound =
    '{"type":"object","properties":{"a\\udc00":{"type":"string","description":"\\uD83D\\uDE00 \\\\ud800"}}}';
  expect(codex.rewrite(sound)).toEqual({
    text: sound.replace('\\udc00', '\ufffd'),
    rewrites: [
      {
        path: 'properties.a\ufffd',
        what: 'a lone surrogate became \ufffd',
        why: 'text cannot contain it, and Codex loses the whole server',
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

test('cuts nesting deeper than Codex reads', () => {
  const patterns = `${'{"patternProperties":{"^a":'.repeat(45)}{"type":"string"}${'},"additionalProperties":{"type":"null"}}'.repeat(45)}`;
  const { text, rewrites } = codex.rewrite(`{"type":"object","properties":{"a":${patterns}}}`);
  expect(isTooDeep(text)).toBe(false);
  expect(rewrites).toContainEqual(expect.objectContaining({ what: 'contents left out' }));
});

test('leaves a schema that Codex accepts as written', () => {
  const schema = '{ "$schema":"x", "type":"object","properties":{"a":{"type":["string","null"],"x-vendor":1.0}} }';
  expect(codex.rewrite(schema)).toEqual({ text: schema, rewrites: [] });
});

test('each rewrite reports where, what and why', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 }, b: {} } };
  expect(codex.rewrite(JSON.stringify(schema)).rewrites).toEqual([
    {
      path: 'properties.a',
      what: 'described in words: at least 1',
      why: 'Codex drops the keywords for it',
      isNarrowing: false,
    },
    {
      path: 'properties.b',
      what: 'type added: every type',
      why: 'Codex drops the description of a schema without a type, or guesses the type',
      isNarrowing: false,
    },
  ]);
});
