import { describe, expect, test } from 'vitest';
import { type Definition, readDefinition } from './definition.ts';

const SCHEMA = '"inputSchema":{"type":"object"}';

describe('repairs a tool', () => {
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
      ['inputSchema had no type and was given "object"'],
    ],
    [
      '{"name":"a","inputSchema":{"anyOf":[{}]}}',
      '{"name":"a","inputSchema":{"anyOf":[{}],"type":"object"}}',
      ['inputSchema had no type and was given "object"'],
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
        'inputSchema had no type and was given "object"',
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
      ['outputSchema had no type and was given "object"'],
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

test('limits the repair messages of a tool with a thousand faults', () => {
  const properties = Array.from({ length: 1000 }, (_, index) => `"p${index}":true`).join(',');
  const json = `{"name":"a","inputSchema":{"type":"object","properties":{${properties}}}}`;
  const { json: repaired, repairs } = readDefinition('tools', Buffer.from(json)) as Definition;
  expect(repaired).toBe(json.replaceAll('true', '{}'));
  expect(repairs).toHaveLength(21);
  expect(repairs.at(-1)).toBe('and 980 more repairs');
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
      'name was not text; the URI is used instead',
    ],
  ],
  [
    'resourceTemplates',
    '{"uriTemplate":"a:{b}"}',
    '{"uriTemplate":"a:{b}","name":"a:{b}"}',
    ['name was missing; the URI is used instead'],
  ],
] as const)('repairs an item of %s: %s', (kind, json, repaired, repairs) => {
  expect(readDefinition(kind, Buffer.from(json))).toMatchObject({ json: repaired, repairs });
});
