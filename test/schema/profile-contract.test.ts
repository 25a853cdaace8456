import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../src/schema/profiles/registry.ts';
import { isObject } from '../../src/wire/messages.ts';
import { propertyRuns } from '../property-runs.ts';
import { verifies } from '../verifies.ts';
import { arbitraryJson, awkwardSchema, largeSchema } from './awkward-schemas.ts';
import { expectToTerminate, schemaBombs } from './schema-bombs.ts';

const BUDGET = propertyRuns(100);

/** The judges try larger ones. */
const BOMBS = schemaBombs(10_000);

describe.each(Object.entries(PROFILES))('the profile %s', (name, profile) => {
  const isNone = name === 'none';

  test.each([
    ['awkward', awkwardSchema],
    ['large', largeSchema],
    ['arbitrary', arbitraryJson],
  ])('rewrites %s schemas idempotently, on one line', (_, schemas) => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const { text, rewrites } = profile.rewrite(JSON.stringify(schema));
        expect(profile.rewrite(text)).toMatchObject({ text, rewrites: [] });
        expect(text).not.toMatch(/[\r\n]/);
        if (!isNone) expect(Buffer.from(text).toString()).toBe(text);
        if (!isNone) expect(text).not.toMatch(/(?<!\\)\\u[dD][89a-fA-F]/);
        if (!isNone) expect(JSON.parse(text).type).toBe('object');
        expect(rewrites.length === 0).toBe(text === JSON.stringify(schema));
      }),
      BUDGET,
    );
  });

  test('turns valid JSON Schema into valid JSON Schema', () => {
    fc.assert(
      fc.property(awkwardSchema, (schema) => {
        expect(metaSchema.validate(schema).errors).toEqual([]);
        expect(metaSchema.validate(JSON.parse(profile.rewrite(JSON.stringify(schema)).text)).errors).toEqual([]);
      }),
      BUDGET,
    );
  });

  test.each(BOMBS)('terminates on %s', { timeout: 120_000 }, (_, schema) => expectToTerminate(name, profile, schema));
});

verifies(
  'schema:legacy:guarantees',
  'an old Codex always gets an object at the top level, no tuple items and only strings as descriptions',
  () => {
    for (const schemas of [awkwardSchema, largeSchema, arbitraryJson]) {
      fc.assert(
        fc.property(schemas, (schema) => {
          const rewritten = JSON.parse(PROFILES['codex-legacy'].rewrite(JSON.stringify(schema)).text);
          expect(rewritten.type).toBe('object');
          expect(faultsIn(rewritten)).toEqual([]);
        }),
        BUDGET,
      );
    }
  },
);

/** Schema parts that make an old Codex drop the tool: at the top, or nested. */
function faultsIn(schema: unknown): unknown[] {
  if (!isObject(schema)) return [schema];
  const { description, items, properties, additionalProperties: others } = schema;
  const inside = [
    ...(items === undefined ? [] : [items]),
    ...(others === undefined || typeof others === 'boolean' ? [] : [others]),
    ...Object.values(isObject(properties) ? properties : {}),
  ];
  const faults = description === undefined || typeof description === 'string' ? [] : [description];
  return [...faults, ...inside.flatMap(faultsIn)];
}

/** The requirements of JSON Schema on the keywords that a profile changes. */
const metaSchema = new Validator(
  {
    $ref: '#/$defs/schema',
    $defs: {
      schema: {
        type: ['object', 'boolean'],
        properties: {
          $ref: { type: 'string' },
          description: { type: 'string' },
          type: {
            anyOf: [
              { $ref: '#/$defs/type' },
              { type: 'array', items: { $ref: '#/$defs/type' }, minItems: 1, uniqueItems: true },
            ],
          },
          enum: { type: 'array' },
          required: { type: 'array', items: { type: 'string' }, uniqueItems: true },
          properties: { $ref: '#/$defs/schemas' },
          patternProperties: { $ref: '#/$defs/schemas' },
          $defs: { $ref: '#/$defs/schemas' },
          definitions: { $ref: '#/$defs/schemas' },
          additionalProperties: { $ref: '#/$defs/schema' },
          not: { $ref: '#/$defs/schema' },
          items: { anyOf: [{ $ref: '#/$defs/schema' }, { type: 'array', items: { $ref: '#/$defs/schema' } }] },
          anyOf: { $ref: '#/$defs/list' },
          oneOf: { $ref: '#/$defs/list' },
          allOf: { $ref: '#/$defs/list' },
        },
      },
      schemas: { type: 'object', additionalProperties: { $ref: '#/$defs/schema' } },
      list: { type: 'array', items: { $ref: '#/$defs/schema' }, minItems: 1 },
      type: { enum: ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] },
    },
  },
  '2020-12',
);
