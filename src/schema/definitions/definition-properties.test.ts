import { PromptSchema, ResourceSchema, ResourceTemplateSchema, ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { type Definition, readDefinition, withKey } from './definition.ts';
import type { DefinitionKind } from './definition-kinds.ts';

const BUDGET = propertyRuns(300);

/** Each member is sometimes correct, sometimes arbitrary, sometimes contains hidden text, and sometimes missing. */
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
  'for %s, the official client accepts every result, and unrepaired parts are unchanged',
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
        // A repaired definition needs no further repair.
        const again = readDefinition(kind, Buffer.from(read.json));
        expect(again).toEqual({ ...read, repairs: [] });
      }),
      BUDGET,
    );
  },
);
