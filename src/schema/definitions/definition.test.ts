import { PromptSchema, ResourceSchema, ResourceTemplateSchema, ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { type Definition, readDefinition, withKey } from './definition.ts';
import type { DefinitionKind } from './definition-kinds.ts';

const BUDGET = propertyRuns(300);
const SCHEMA = '"inputSchema":{"type":"object"}';

describe('is quarantined, with the reason', () => {
  test.each([
    ['no JSON', 'tools', '{"name":"a",}', undefined, 'it is not valid JSON'],
    ['two values', 'tools', '{"name":"a"}{"name":"b"}', undefined, 'it is not valid JSON'],
    ['nothing', 'tools', '', undefined, 'it is not valid JSON'],
    ['null', 'tools', 'null', undefined, 'it is not an object'],
    ['text', 'tools', '"not an object"', undefined, 'it is not an object'],
    ['a list', 'tools', '[{"name":"a"}]', undefined, 'it is not an object'],
    ['a tool without a name', 'tools', '{"description":"a"}', undefined, 'it has no name'],
    ['a tool whose name is a number', 'tools', '{"name":42}', undefined, 'its name is not text'],
    ['a tool whose name is taken back', 'tools', '{"name":"a","name":null}', undefined, 'its name is not text'],
    ['a tool with an empty name', 'tools', '{"name":""}', undefined, 'its name is empty'],
    ['a tool whose name is not to be seen', 'tools', '{"name":" \\t\\u200b\\u200d"}', undefined, 'its name is empty'],
    [
      'a name too long to be one',
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
      'a schema that is too deep',
      'tools',
      `{"inputSchema":${'{"items":'.repeat(10_000)}{}${'}'.repeat(10_000)},"name":"deep"}`,
      undefined,
      'it is nested more than 118 deep',
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
      'a template whose template is a list',
      'resourceTemplates',
      '{"uriTemplate":[]}',
      undefined,
      'its uriTemplate is not text',
    ],
  ] as const)('%s', (_, kind, json, name, reason) => {
    expect(readDefinition(kind, Buffer.from(json))).toEqual({ kind: 'quarantined', name, reason });
  });
});

describe('a tool is repaired', () => {
  test.each([
    ['{"name":"a"}', `{"name":"a",${SCHEMA}}`, ['inputSchema was missing; any arguments are accepted']],
    [
      '{"name":"a","inputSchema":null}',
      `{"name":"a",${SCHEMA}}`,
      ['inputSchema was not an object; any arguments are accepted'],
    ],
    [
      '{"inputSchema":[],"name":"a"}',
      `{${SCHEMA},"name":"a"}`,
      ['inputSchema was not an object; any arguments are accepted'],
    ],
    [
      '{"name":"a","inputSchema":{ }}',
      '{"name":"a","inputSchema":{"type":"object" }}',
      ['inputSchema had no type and got "object"'],
    ],
    [
      '{"name":"a","inputSchema":{"anyOf":[{}]}}',
      '{"name":"a","inputSchema":{"anyOf":[{}],"type":"object"}}',
      ['inputSchema had no type and got "object"'],
    ],
    [
      '{"name":"a","inputSchema":{"type":["object","null"],"properties":{}}}',
      '{"name":"a","inputSchema":{"type":"object","properties":{}}}',
      ['inputSchema.type was not "object" and is now'],
    ],
    [
      '{"name":"a","inputSchema":{"type":"string","type":null}}',
      '{"name":"a","inputSchema":{"type":"object","type":"object"}}',
      ['inputSchema.type was not "object" and is now'],
    ],
    [
      '{"name":"a","inputSchema":{"properties":null,"required":true,"$schema":7}}',
      '{"name":"a","inputSchema":{"type":"object"}}',
      [
        'inputSchema had no type and got "object"',
        'inputSchema.$schema was not text and is left out',
        'inputSchema.properties was not an object and is left out',
        'inputSchema.required was not a list of names and is left out',
      ],
    ],
    [
      '{"name":"a","inputSchema":{"type":"object","properties":{"x":true,"y":false,"z":null,"w":{}}}}',
      '{"name":"a","inputSchema":{"type":"object","properties":{"x":{},"y":{"not":{}},"z":{},"w":{}}}}',
      [
        'inputSchema.properties.x was not an object and is now',
        'inputSchema.properties.y was not an object and is now',
        'inputSchema.properties.z was not an object and is now',
      ],
    ],
    [
      `{"name":"a",${SCHEMA},"outputSchema":{"type":"array"}}`,
      `{"name":"a",${SCHEMA}}`,
      ['outputSchema was not a schema of objects and is left out'],
    ],
    [
      `{"outputSchema":[],"name":"a",${SCHEMA}}`,
      `{"name":"a",${SCHEMA}}`,
      ['outputSchema was not an object and is left out'],
    ],
    [
      `{"name":"a",${SCHEMA},"outputSchema":{"$ref":"http://x/y"}}`,
      `{"name":"a",${SCHEMA},"outputSchema":{"$ref":"http://x/y","type":"object"}}`,
      ['outputSchema had no type and got "object"'],
    ],
    [
      `{ "description": null , "title": 7, "name":"a", ${SCHEMA}, "_meta": [], "icons": {} }`,
      `{ "name":"a", ${SCHEMA} }`,
      [
        'title was not text and is left out',
        'description was not text and is left out',
        'icons was not a list and is left out',
        '_meta was not an object and is left out',
      ],
    ],
    [
      `{"name":"a",${SCHEMA},"description":"one","description":null}`,
      `{"name":"a",${SCHEMA}}`,
      ['description was not text and is left out'],
    ],
    [
      `{"name":"a",${SCHEMA},"annotations":{"readOnlyHint":"yes","destructiveHint":0,"title":7,"vendor":1}}`,
      `{"name":"a",${SCHEMA},"annotations":{"vendor":1}}`,
      [
        'annotations.title was not text and is left out',
        'annotations.readOnlyHint was not true or false and is left out',
        'annotations.destructiveHint was not true or false and is left out',
      ],
    ],
    [
      `{"name":"a",${SCHEMA},"annotations":[],"execution":{"taskSupport":"maybe"}}`,
      `{"name":"a",${SCHEMA},"execution":{}}`,
      [
        'annotations was not an object and is left out',
        'execution.taskSupport was not one of required, optional, forbidden and is left out',
      ],
    ],
    [
      `{"name":"a",${SCHEMA},"icons":[null,{"src":"x","theme":"red","sizes":"any"},{"mimeType":"image/png"}]}`,
      `{"name":"a",${SCHEMA},"icons":[{"src":"x"}]}`,
      [
        'icons[0] had no src and is left out',
        'icons[1].sizes was not a list of texts and is left out',
        'icons[1].theme was not light or dark and is left out',
        'icons[2] had no src and is left out',
      ],
    ],
    [
      `{"name":"a","NAME":"b","n\\u0041me":"c",${SCHEMA}}`,
      `{"name":"a",${SCHEMA}}`,
      ['NAME could be taken for name and is left out', 'nAme could be taken for name and is left out'],
    ],
  ])('%s', (json, repaired, repairs) => {
    expect(readDefinition('tools', Buffer.from(json))).toEqual({
      kind: 'definition',
      key: 'a',
      json: repaired,
      keySpans: [{ start: repaired.indexOf('"a"'), end: repaired.indexOf('"a"') + 3 }],
      repairs,
      hints: { readOnly: false, idempotent: false },
    });
  });
});

test('a tool with a thousand faults does not fill the memory with sentences', () => {
  const properties = Array.from({ length: 1000 }, (_, index) => `"p${index}":true`).join(',');
  const json = `{"name":"a","inputSchema":{"type":"object","properties":{${properties}}}}`;
  const { json: repaired, repairs } = readDefinition('tools', Buffer.from(json)) as Definition;
  expect(repaired).toBe(json.replaceAll('true', '{}'));
  expect(repairs).toHaveLength(21);
  expect(repairs.at(-1)).toBe('and 980 more repairs');
});

describe('hidden characters', () => {
  test('are taken out of titles and descriptions at any depth, and no other byte changes', () => {
    const write = (hidden: string, escaped: string) =>
      `{"name":"a" , "title":"T${hidden}","description":"D${escaped}\\r\\n\\tx","annotations":{"title":"A${hidden}"},` +
      `"inputSchema":{"type":"object","description":"S${escaped}","properties":{"description":{"title":"P${hidden}"},` +
      `"default":{"description":"${hidden}Q","default":{"description":"\u200bdata"},"enum":["\\u200b"]}},` +
      `"$defs":{"x":{"anyOf":[{"const":{"title":"\\u202e"}},{"description":"${escaped}é日😀"}]}}},` +
      `"outputSchema":{"type":"object","Description":"${hidden}"},"vendor":{"title":"\u200b"},"big":9007199254740993}`;
    expect(readDefinition('tools', Buffer.from(write('\u202e\u200b', '\\u001B[31m\\udb40\\udc41')))).toMatchObject({
      json: write('', ''),
      repairs: ['hidden characters were taken out of title, description, annotations, inputSchema, outputSchema'],
    });
  });

  test('are told of, but stay, in the name by which the server is called', () => {
    const json = `{"name":"zero\u200bwidth",${SCHEMA}}`;
    expect(readDefinition('tools', Buffer.from(json))).toMatchObject({
      key: 'zero\u200bwidth',
      json,
      repairs: ['hidden characters are left out of the name that is shown'],
    });
  });

  test('include line breaks in a title, not in a description', () => {
    const json = `{"name":"a","title":"two\\nlines","description":"two\\nlines",${SCHEMA}}`;
    expect(readDefinition('tools', Buffer.from(json))).toMatchObject({
      json: `{"name":"a","title":"two lines","description":"two\\nlines",${SCHEMA}}`,
      repairs: ['hidden characters were taken out of title'],
    });
  });

  test('are taken out of the arguments of a prompt and the name of a resource', () => {
    const prompt = '{"name":"a","arguments":[{"name":"x\u200b","description":"d\u200b"}]}';
    expect(readDefinition('prompts', Buffer.from(prompt))).toMatchObject({
      json: '{"name":"a","arguments":[{"name":"x\u200b","description":"d"}]}',
    });
    expect(readDefinition('resources', Buffer.from('{"uri":"a:\u200b","name":"n\u200b"}'))).toMatchObject({
      key: 'a:\u200b',
      json: '{"uri":"a:\u200b","name":"n"}',
      repairs: ['hidden characters were taken out of name'],
    });
  });
});

test.each([
  [
    'prompts',
    '{"name":"a","description":null,"arguments":[{"name":"x","required":"yes"},{"title":"y"},7,{"name":"z"}]}',
    '{"name":"a","arguments":[{"name":"x"},{"name":"z"}]}',
    [
      'description was not text and is left out',
      'arguments[0].required was not true or false and is left out',
      'arguments[1] had no name and is left out',
      'arguments[2] had no name and is left out',
    ],
  ],
  ['prompts', '{"name":"a","arguments":"x"}', '{"name":"a"}', ['arguments was not a list and is left out']],
  [
    'resources',
    '{"uri":"a:b","name":7,"size":"1","mimeType":null,"annotations":{"audience":["me"],"priority":2,"lastModified":"today"}}',
    '{"uri":"a:b","annotations":{},"name":"a:b"}',
    [
      'mimeType was not text and is left out',
      'annotations.audience was not a list of roles and is left out',
      'annotations.priority was not a number from 0 to 1 and is left out',
      'annotations.lastModified was not a time and is left out',
      'size was not a number and is left out',
      'name was not text; the URI stands in for it',
    ],
  ],
  [
    'resourceTemplates',
    '{"uriTemplate":"a:{b}"}',
    '{"uriTemplate":"a:{b}","name":"a:{b}"}',
    ['name was missing; the URI stands in for it'],
  ],
] as const)('one of %s is repaired: %s', (kind, json, repaired, repairs) => {
  expect(readDefinition(kind, Buffer.from(json))).toMatchObject({ json: repaired, repairs });
});

test('what is fine passes byte for byte, and only the name can be another', () => {
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

test('a definition on many lines becomes one line', () => {
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
])('the hints of %s are read', (annotations, readOnly, idempotent) => {
  const json = `{"name":"a",${SCHEMA},"annotations":${annotations}}`;
  expect(readDefinition('tools', Buffer.from(json))).toMatchObject({ hints: { readOnly, idempotent } });
});

/** Every member sometimes right, sometimes anything, sometimes with something to hide, sometimes missing. */
const hidden = fc.constantFrom('plain', 'two\nlines', 'a\u200bb', '\u001b[31mred', '\u202eexe', 'é日😀', '');
const text = fc.oneof(hidden, fc.string({ unit: 'binary', maxLength: 5 }));
const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), text);
const sometimes = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: right }, { weight: 1, arbitrary: anything });
const icon = fc.record(
  { src: text, mimeType: sometimes(text), sizes: anything, theme: anything },
  { requiredKeys: [] },
);
const flag = sometimes(fc.boolean());
const schema = fc.record(
  {
    type: sometimes(fc.constant('object')),
    properties: sometimes(fc.dictionary(fc.string(), sometimes(fc.record({ description: text, default: anything })))),
    required: sometimes(fc.array(fc.string())),
    description: text,
    $schema: sometimes(fc.string()),
    $defs: anything,
  },
  { requiredKeys: [] },
);
const common = {
  title: sometimes(text),
  description: sometimes(text),
  icons: sometimes(fc.array(sometimes(icon), { maxLength: 2 })),
  _meta: anything,
};
const annotations = fc.record(
  {
    title: sometimes(text),
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
    vendor: anything,
  },
  { requiredKeys: [] },
);
const time = fc.constantFrom(
  '2025-01-02T03:04:05Z',
  '2025-01-02T03:04:05.6+07:00',
  '2025-01-02T03:04Z',
  '2025-02-30T03:04:05Z',
);
const resource = {
  ...common,
  name: sometimes(text),
  mimeType: sometimes(text),
  annotations: sometimes(
    fc.record({ audience: anything, priority: anything, lastModified: sometimes(time) }, { requiredKeys: [] }),
  ),
};
const argument = fc.record(
  { name: sometimes(text), description: sometimes(text), required: flag },
  { requiredKeys: [] },
);

const KINDS = [
  [
    'tools',
    'name',
    fc.record(
      {
        ...common,
        inputSchema: sometimes(schema),
        outputSchema: sometimes(schema),
        annotations: sometimes(annotations),
        vendor: anything,
        execution: anything,
      },
      { requiredKeys: [] },
    ),
    ToolSchema,
  ],
  [
    'prompts',
    'name',
    fc.record(
      { ...common, arguments: sometimes(fc.array(sometimes(argument), { maxLength: 3 })) },
      { requiredKeys: [] },
    ),
    PromptSchema,
  ],
  ['resources', 'uri', fc.record({ ...resource, size: anything }, { requiredKeys: [] }), ResourceSchema],
  ['resourceTemplates', 'uriTemplate', fc.record(resource, { requiredKeys: [] }), ResourceTemplateSchema],
] as const satisfies readonly (readonly [DefinitionKind, string, fc.Arbitrary<object>, unknown])[];

test.each(KINDS)(
  'of %s, the official client takes whatever comes out; what no repair names is as it was',
  (kind, key, arbitrary, official) => {
    fc.assert(
      fc.property(arbitrary, fc.constantFrom('a', 'né'), fc.constantFrom(undefined, ' '), (body, raw, space) => {
        const original = JSON.parse(JSON.stringify({ ...body, [key]: raw }));
        const read = readDefinition(kind, Buffer.from(JSON.stringify(original, null, space))) as Definition;
        expect(read.key).toBe(raw);
        const renamed = JSON.parse(withKey(read, 'new "name"'));
        expect(renamed[key]).toBe('new "name"');
        expect(official.safeParse(renamed).error?.issues).toBeUndefined();
        const repairs = read.repairs.join('; ');
        fc.pre(!repairs.includes('more repairs'));
        for (const member of new Set([...Object.keys(original), ...Object.keys(renamed)])) {
          if (member !== key && !repairs.includes(member)) expect(renamed[member]).toEqual(original[member]);
        }
        expect(read.json).not.toMatch(/[\r\n]/);
        // What was repaired once needs no repair again.
        const again = readDefinition(kind, Buffer.from(read.json));
        expect(again).toEqual({ ...read, repairs: [] });
      }),
      BUDGET,
    );
  },
);
