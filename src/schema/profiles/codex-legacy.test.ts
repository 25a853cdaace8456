import { describe, expect, test } from 'vitest';
import { codexLegacy } from './codex-legacy.ts';
import { isTooDeep } from './nesting.ts';

/** Under a property: at the top there is always an object. */
function rewriteProperty(schema: string): unknown {
  const { text } = codexLegacy.rewrite(`{"type":"object","properties":{"p":${schema}}}`);
  return JSON.parse(text).properties.p;
}

describe('the rules of the first wrapper, letter by letter', () => {
  test.each([
    ['integer becomes number', '{"type":"integer"}', { type: 'number' }],
    ['integer in a list of types too', '{"type":["integer","null"]}', { type: ['number', 'null'] }],
    ['no type, enum: that of the first value, text', '{"enum":["a",1]}', { enum: ['a', 1], type: 'string' }],
    ['no type, enum: that of the first value, number', '{"enum":[1,"a"]}', { enum: [1, 'a'], type: 'number' }],
    ['no type, enum: that of the first value, boolean', '{"enum":[true]}', { enum: [true], type: 'boolean' }],
    ['enum comes before properties', '{"enum":[1],"properties":{}}', { enum: [1], properties: {}, type: 'number' }],
    ['no type, properties: object', '{"properties":{}}', { properties: {}, type: 'object' }],
    [
      'properties come before items',
      '{"items":{"type":"string"},"properties":{}}',
      { items: { type: 'string' }, properties: {}, type: 'object' },
    ],
    ['no type, items: array', '{"items":{"type":"string"}}', { items: { type: 'string' }, type: 'array' }],
    ['no type and nothing else: string', '{}', { type: 'string' }],
    ['no type but a reference: string', '{"$ref":"#"}', { $ref: '#', type: 'string' }],
    ['what has a type is left alone', '{"type":"string","minLength":1}', { type: 'string', minLength: 1 }],
  ])('%s', (_, schema, rewritten) => {
    expect(rewriteProperty(schema)).toEqual(rewritten);
  });

  test.each([
    ['properties', '{"type":"object","properties":{"a":@}}'],
    ['items', '{"type":"array","items":@}'],
    ['anyOf', '{"type":"object","anyOf":[@]}'],
    ['oneOf', '{"type":"object","oneOf":[@]}'],
    ['allOf', '{"type":"object","allOf":[@]}'],
    ['not', '{"type":"object","not":@}'],
    ['$defs', '{"type":"object","$defs":{"a":@}}'],
    ['definitions', '{"type":"object","definitions":{"a":@}}'],
    ['additionalProperties', '{"type":"object","additionalProperties":@}'],
    ['patternProperties', '{"type":"object","patternProperties":{"^a":@}}'],
  ])('hold inside %s, at any depth', (_, around) => {
    const nest = (inner: string) => around.replace('@', () => around.replace('@', () => inner));
    expect(rewriteProperty(nest('{"type":"integer"}'))).toEqual(JSON.parse(nest('{"type":"number"}')));
  });
});

describe('what would cost an old Codex the tool or the server', () => {
  test.each([
    ['no schema', 'null', { type: 'object' }],
    ['no type at the top', '{"anyOf":[{"type":"string"}]}', { anyOf: [{ type: 'string' }], type: 'object' }],
    ['another type at the top', '{"type":"string"}', { type: 'object' }],
    ['several types at the top', '{"type":["object","null"]}', { type: 'object' }],
  ])('%s', (_, schema, rewritten) => {
    expect(JSON.parse(codexLegacy.rewrite(schema).text)).toEqual(rewritten);
  });

  test.each([
    [
      'a schema for each item',
      '{"type":"array","items":[{"type":"integer"},{"type":"number"}]}',
      { type: 'array', items: { type: 'number', anyOf: [{ type: 'number' }, { type: 'number' }] } },
    ],
    [
      'one for each of different items',
      '{"type":"array","items":[{"type":"integer"},{}]}',
      { type: 'array', items: { type: 'string', anyOf: [{ type: 'number' }, { type: 'string' }] } },
    ],
    ['one for each of no items', '{"type":"array","items":[]}', { type: 'array', items: { type: 'string' } }],
    [
      'a description that is no text',
      '{"type":"string","description":["a"]}',
      { type: 'string', description: '["a"]' },
    ],
    ['null as a description', '{"type":"string","description":null}', { type: 'string' }],
    ['true as a schema', 'true', { type: 'string' }],
    ['the type null', '{"type":"null"}', { type: 'string' }],
    ['a type that nobody knows', '{"type":"file"}', { type: 'string' }],
    ['null as the first value', '{"enum":[null]}', { enum: [null], type: 'string' }],
    ['required that is no list', '{"type":"object","required":true}', { type: 'object' }],
    ['integer beside number', '{"type":["integer","number"]}', { type: ['number'] }],
  ])('%s', (_, schema, rewritten) => {
    expect(rewriteProperty(schema)).toEqual(rewritten);
  });
});

test('every guess that makes the schema accept less is marked, and nothing else', () => {
  const schema = '{"properties":{"a":{"type":"integer"},"b":{},"c":{"enum":["x"]},"d":{"type":"string","not":{}}}}';
  expect(codexLegacy.rewrite(schema).rewrites).toEqual([
    { path: '', what: 'type added: object', why: 'the arguments of a call are an object', isNarrowing: false },
    { path: 'properties.a', what: 'type became: number', why: 'Codex does not know integer', isNarrowing: false },
    {
      path: 'properties.b',
      what: 'type added: string',
      why: 'Codex wants a type that it knows; nothing else is said',
      isNarrowing: true,
    },
    {
      path: 'properties.c',
      what: 'type added: string',
      why: 'Codex wants a type that it knows; the first value has this one',
      isNarrowing: false,
    },
    {
      path: 'properties.d.not',
      what: 'type added: string',
      why: 'Codex wants a type that it knows; nothing else is said',
      isNarrowing: false,
    },
  ]);
});

test('what is not in the way stays as it was written', () => {
  const schema =
    '{"type":"object","properties":{"a":{"enum":[9007199254740993,1e300,1.0]},"__proto__":{"type":"integer","x":"\\u00e9"}}}';
  expect(codexLegacy.rewrite(schema).text).toBe(
    '{"type":"object","properties":{"a":{"enum":[9007199254740993,1e300,1.0],"type":"number"},"__proto__":{"type":"number","x":"é"}}}',
  );
  const sound = '{ "type":"object",\n"properties":{"a":{"type":"string","default":1.0}}}';
  expect(codexLegacy.rewrite(sound)).toEqual({ text: sound.replace('\n', ' '), rewrites: [] });
});

test('halves of characters and numbers that no double holds are mended, wherever they stand', () => {
  const schema =
    '{"type":"object","properties":{"\\ud800":{"type":"string","default":"\\ud83d\\ude00 \\\\ud800 \\udc00"},' +
    '"b":{"enum":[1e400,2],"minimum":-1e400,"x-y":{"z":1e999,"a":1}}},"required":["\\ud800"]}';
  const { text, rewrites } = codexLegacy.rewrite(schema);
  expect(text).toBe(
    '{"type":"object","properties":{"\ufffd":{"type":"string","default":"\u{1f600} \\\\ud800 \ufffd"},' +
      '"b":{"enum":["1e400",2],"x-y":{"a":1},"type":"number"}},"required":["\ufffd"]}',
  );
  expect(rewrites.map(({ path, what, isNarrowing }) => [path, what, isNarrowing])).toEqual([
    ['properties.\ufffd', 'half a character became \ufffd', false],
    ['properties.\ufffd.default', 'half a character became \ufffd', false],
    ['required.0', 'half a character became \ufffd', false],
    ['properties.b', 'type added: number', false],
    ['properties.b.enum.0', '1e400 became text', true],
    ['properties.b.minimum', '-1e400 left out', false],
    ['properties.b.x-y.z', '1e999 left out', false],
  ]);
  const sound = '{"type":"object","properties":{"a":{"type":"string","description":"\\ud800"}}}';
  expect(codexLegacy.rewrite(sound)).toMatchObject({
    text: sound.replace('\\ud800', '\ufffd'),
    rewrites: [{ path: 'properties.a.description' }],
  });
});

test('what would be nested deeper than Codex reads is cut, deepest first', () => {
  const tuples = `${'{"items":['.repeat(47)}{}${']}'.repeat(47)}`;
  const { text, rewrites } = codexLegacy.rewrite(`{"type":"object","properties":{"a":${tuples}}}`);
  expect(isTooDeep(text)).toBe(false);
  expect(rewrites).toContainEqual(expect.objectContaining({ what: 'only its type kept: array' }));
});
