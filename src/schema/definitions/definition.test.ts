import { describe, expect, test } from 'vitest';
import { type Definition, readDefinition, withKey } from './definition.ts';

const SCHEMA = '"inputSchema":{"type":"object"}';

describe('quarantines with the reason', () => {
  test.each([
    ['invalid JSON', 'tools', '{"name":"a",}', undefined, 'it is not valid JSON'],
    ['two JSON values', 'tools', '{"name":"a"}{"name":"b"}', undefined, 'it is not valid JSON'],
    ['nothing', 'tools', '', undefined, 'it is not valid JSON'],
    ['null', 'tools', 'null', undefined, 'it is not an object'],
    ['a string', 'tools', '"not an object"', undefined, 'it is not an object'],
    ['an array', 'tools', '[{"name":"a"}]', undefined, 'it is not an object'],
    ['a tool without a name', 'tools', '{"description":"a"}', undefined, 'it has no name'],
    ['a tool whose name is a number', 'tools', '{"name":42}', undefined, 'its name is not text'],
    ['a tool whose name is later null', 'tools', '{"name":"a","name":null}', undefined, 'its name is not text'],
    ['a tool with an empty name', 'tools', '{"name":""}', undefined, 'its name is empty'],
    ['a tool with an invisible name', 'tools', '{"name":" \\t\\u200b\\u200d"}', undefined, 'its name is empty'],
    [
      'a name that is too long',
      'tools',
      `{"name":"${'n'.repeat(1001)}"}`,
      `${'n'.repeat(99)}…`,
      'its name is longer than 1000 characters',
    ],
    [
      'a definition that is too large',
      'tools',
      `{"name":"big\\u001b[31m","description":"${'x'.repeat(1024 * 1024)}"}`,
      'big',
      'it is larger than 1 MiB',
    ],
    [
      'a schema that is nested too deep',
      'tools',
      `{"inputSchema":${'{"items":'.repeat(10_000)}{}${'}'.repeat(10_000)},"name":"deep"}`,
      undefined,
      'it is nested more than 118 levels deep',
    ],
    [
      'a schema with too many branches',
      'tools',
      `{"name":"wide","inputSchema":{"type":"object","anyOf":[${'{},'.repeat(100_000)}{}]}}`,
      'wide',
      'it has more than 10000 objects and lists in it',
    ],
    ['a prompt without a name', 'prompts', '{"title":"a"}', undefined, 'it has no name'],
    ['a resource without a URI', 'resources', '{"name":"a"}', undefined, 'it has no uri'],
    [
      'a template whose uriTemplate is an array',
      'resourceTemplates',
      '{"uriTemplate":[]}',
      undefined,
      'its uriTemplate is not text',
    ],
  ] as const)('%s', (_, kind, json, name, reason) => {
    expect(readDefinition(kind, Buffer.from(json))).toEqual({ kind: 'quarantined', name, reason });
  });
});

test('passes valid definitions byte for byte, except for the name', () => {
  const nasty = [
    '9007199254740993',
    '1.0',
    '-0',
    '1e400',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '"\\ud800"',
    '"\\u00e9\\/"',
    '"é日😀\u2028"',
    '[ [ ] , { } ]',
    '{"name":"inner"}',
  ];
  for (const literal of nasty) {
    const write = (name: string) =>
      ` {"vendor" : ${literal},"name":${name},"description":"é\\n","inputSchema":{"type":"object","default":${literal},` +
      `"properties":{"x":{"const":${literal}}}},"n\\u0061me":${name},"_meta":{"x":${literal}},"inputSchema2":${literal}}\t`;
    const read = readDefinition('tools', Buffer.from(write('"raw\\u0020n\\u00e9"')));
    expect(read).toMatchObject({ key: 'raw né', json: write('"raw\\u0020n\\u00e9"').trim(), repairs: [] });
    expect(withKey(read as Definition, 's__"x')).toBe(write('"s__\\"x"').trim());
  }
});

test('joins a definition on many lines into one line', () => {
  const value = { name: 'a', description: 'two\nlines', inputSchema: { type: 'object', properties: { x: {} } } };
  const json = JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n');
  const read = readDefinition('tools', Buffer.from(json)) as Definition;
  expect(read.json).toBe(json.replace(/[\r\n]/g, ' '));
  expect(JSON.parse(withKey(read, 'b'))).toEqual({ ...value, name: 'b' });
});

test.each([
  ['{}', false, false],
  ['{"readOnlyHint":true}', true, false],
  ['{"readOnlyHint":true,"readOnlyHint":false,"idempotentHint":true}', false, true],
  ['{"readOnlyHint":"true","idempotentHint":1}', false, false],
])('reads the hints of %s', (annotations, readOnly, idempotent) => {
  const json = `{"name":"a",${SCHEMA},"annotations":${annotations}}`;
  expect(readDefinition('tools', Buffer.from(json))).toMatchObject({ hints: { readOnly, idempotent } });
});
