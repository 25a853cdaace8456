import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { isTooDeep } from '../json/nesting.ts';
import { codexLegacy } from './codex-legacy.ts';

/** Nested in a property, because the top level is always an object. */
function rewriteProperty(schema: string): unknown {
  const { text } = codexLegacy.rewrite(`{"type":"object","properties":{"p":${schema}}}`);
  return JSON.parse(text).properties.p;
}

describe('the rules of the first wrapper, exactly:', () => {
  verifies('schema:legacy:integer', 'integer becomes number', () => {
    expect(rewriteProperty('{"type":"integer","minimum":1}')).toEqual({ type: 'number', minimum: 1 });
  });

  verifies('schema:legacy:integer-in-list', 'integer in an array of types becomes number', () => {
    expect(rewriteProperty('{"type":["integer","null"]}')).toEqual({ type: ['number', 'null'] });
    expect(rewriteProperty('{"type":["integer","number"]}')).toEqual({ type: ['number'] });
  });

  verifies('schema:legacy:type-from-enum', 'a missing type becomes that of the first enum value', () => {
    expect(rewriteProperty('{"enum":["a",1]}')).toEqual({ enum: ['a', 1], type: 'string' });
    expect(rewriteProperty('{"enum":[1,"a"]}')).toEqual({ enum: [1, 'a'], type: 'number' });
    expect(rewriteProperty('{"enum":[true]}')).toEqual({ enum: [true], type: 'boolean' });
  });

  verifies('schema:legacy:type-from-properties', 'a missing type with properties becomes object', () => {
    expect(rewriteProperty('{"properties":{}}')).toEqual({ properties: {}, type: 'object' });
  });

  verifies('schema:legacy:type-from-items', 'a missing type with items becomes array', () => {
    expect(rewriteProperty('{"items":{"type":"string"}}')).toEqual({ items: { type: 'string' }, type: 'array' });
  });

  verifies('schema:legacy:type-fallback', 'a missing type without hints becomes string', () => {
    expect(rewriteProperty('{}')).toEqual({ type: 'string' });
    expect(rewriteProperty('{"$ref":"#"}')).toEqual({ $ref: '#', type: 'string' });
  });

  verifies('schema:legacy:type-order', 'enum takes precedence over properties, and properties over items', () => {
    expect(rewriteProperty('{"properties":{},"enum":[1]}')).toEqual({ enum: [1], properties: {}, type: 'number' });
    const items = { type: 'string' };
    expect(rewriteProperty('{"items":{"type":"string"},"properties":{}}')).toEqual({
      items,
      properties: {},
      type: 'object',
    });
  });

  test('leaves a property with a type unchanged', () => {
    expect(rewriteProperty('{"type":"string","minLength":1}')).toEqual({ type: 'string', minLength: 1 });
  });

  const AROUND = [
    '{"type":"object","properties":{"a":@}}',
    '{"type":"array","items":@}',
    '{"type":"object","anyOf":[@]}',
    '{"type":"object","oneOf":[@]}',
    '{"type":"object","allOf":[@]}',
    '{"type":"object","not":@}',
    '{"type":"object","$defs":{"a":@}}',
    '{"type":"object","definitions":{"a":@}}',
    '{"type":"object","additionalProperties":@}',
    '{"type":"object","patternProperties":{"^a":@}}',
  ];
  for (const around of AROUND) {
    verifies('schema:legacy:nested', `the rules apply inside ${around}, at any depth`, () => {
      const nest = (inner: string) => around.replace('@', () => around.replace('@', () => inner));
      expect(rewriteProperty(nest('{"type":"integer"}'))).toEqual(JSON.parse(nest('{"type":"number"}')));
      expect(rewriteProperty(nest('{"enum":[1]}'))).toEqual(JSON.parse(nest('{"enum":[1],"type":"number"}')));
    });
  }
});

describe('repairs what would make an old Codex drop the tool or the server', () => {
  test.each([
    ['no schema', 'null', { type: 'object' }],
    ['no type at the top level', '{"anyOf":[{"type":"string"}]}', { anyOf: [{ type: 'string' }], type: 'object' }],
    ['another type at the top level', '{"type":"string"}', { type: 'object' }],
    ['several types at the top level', '{"type":["object","null"]}', { type: 'object' }],
  ])('%s', (_, schema, rewritten) => {
    expect(JSON.parse(codexLegacy.rewrite(schema).text)).toEqual(rewritten);
  });

  test.each([
    [
      'tuple items that become the same schema',
      '{"type":"array","items":[{"type":"integer"},{"type":"number"}]}',
      { type: 'array', items: { type: 'number', anyOf: [{ type: 'number' }, { type: 'number' }] } },
    ],
    [
      'tuple items that differ',
      '{"type":"array","items":[{"type":"integer"},{}]}',
      { type: 'array', items: { type: 'string', anyOf: [{ type: 'number' }, { type: 'string' }] } },
    ],
    ['empty tuple items', '{"type":"array","items":[]}', { type: 'array', items: { type: 'string' } }],
    [
      'a description that is not a string',
      '{"type":"string","description":["a"]}',
      { type: 'string', description: '["a"]' },
    ],
    ['null as a description', '{"type":"string","description":null}', { type: 'string' }],
    ['true as a schema', 'true', { type: 'string' }],
    ['the type null', '{"type":"null"}', { type: 'string' }],
    ['an unknown type', '{"type":"file"}', { type: 'string' }],
    ['null as the first enum value', '{"enum":[null]}', { enum: [null], type: 'string' }],
    ['required that is not an array', '{"type":"object","required":true}', { type: 'object' }],
  ])('%s', (_, schema, rewritten) => {
    expect(rewriteProperty(schema)).toEqual(rewritten);
  });
});

verifies('schema:legacy:narrowings-explained', 'marks every added type that narrows a schema, and nothing else', () => {
  const schema = '{"properties":{"a":{"type":"integer"},"b":{},"c":{"enum":["x"]},"d":{"type":"string","not":{}}}}';
  expect(codexLegacy.rewrite(schema).rewrites).toEqual([
    { path: '', what: 'type added: object', why: 'the arguments of a call are an object', isNarrowing: false },
    { path: 'properties.a', what: 'type became: number', why: 'Codex does not know integer', isNarrowing: false },
    {
      path: 'properties.b',
      what: 'type added: string',
      why: 'Codex requires a type that it knows; nothing else is specified',
      isNarrowing: true,
    },
    {
      path: 'properties.c',
      what: 'type added: string',
      why: 'Codex requires a type that it knows; the first value has this type',
      isNarrowing: false,
    },
    {
      path: 'properties.d.not',
      what: 'type added: string',
      why: 'Codex requires a type that it knows; nothing else is specified',
      isNarrowing: false,
    },
  ]);
});

test('leaves everything else as written', () => {
  const schema =
    '{"type":"object","properties":{"a":{"enum":[9007199254740993,1e300,1.0]},"__proto__":{"type":"integer","x":"\\u00e9"}}}';
  expect(codexLegacy.rewrite(schema).text).toBe(
    '{"type":"object","properties":{"a":{"enum":[9007199254740993,1e300,1.0],"type":"number"},"__proto__":{"type":"number","x":"é"}}}',
  );
  const sound = '{ "type":"object",\n"properties":{"a":{"type":"string","default":1.0}}}';
  expect(codexLegacy.rewrite(sound)).toEqual({ text: sound.replace('\n', ' '), rewrites: [] });
});

test('repairs lone surrogates and numbers outside the double range everywhere', () => {
  const schema =
    '{"type":"object","properties":{"\\ud800":{"type":"string","default":"\\ud83d\\ude00 \\\\ud800 \\udc00"},' +
    '"b":{"enum":[1e400,2],"minimum":-1e400,"x-y":{"z":1e999,"a":1}}},"required":["\\ud800"]}';
  const { text, rewrites } = codexLegacy.rewrite(schema);
  expect(text).toBe(
    '{"type":"object","properties":{"\ufffd":{"type":"string","default":"\u{1f600} \\\\ud800 \ufffd"},' +
      '"b":{"enum":["1e400",2],"x-y":{"a":1},"type":"number"}},"required":["\ufffd"]}',
  );
  expect(rewrites.map(({ path, what, isNarrowing }) => [path, what, isNarrowing])).toEqual([
    ['properties.\ufffd', 'a lone surrogate became \ufffd', false],
    ['properties.\ufffd.default', 'a lone surrogate became \ufffd', false],
    ['required.0', 'a lone surrogate became \ufffd', false],
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

test('cuts nesting deeper than Codex reads, deepest first', () => {
  const tuples = `${'{"type":"array","items":['.repeat(47)}{}${']}'.repeat(47)}`;
  const { text, rewrites } = codexLegacy.rewrite(`{"type":"object","properties":{"a":${tuples}}}`);
  expect(isTooDeep(text)).toBe(false);
  expect(rewrites).toContainEqual(expect.objectContaining({ what: 'only its type kept: array' }));
});
