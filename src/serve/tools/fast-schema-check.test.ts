import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { createFastCheck } from './fast-schema-check.ts';
import { createJsonSchemaCheck } from './json-schema-check.ts';

const names = fc.constantFrom('a', 'b', 'toString', '__proto__', '');
const described = { description: fc.string(), default: fc.jsonValue() };

const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record(
      { type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null'), ...described },
      { requiredKeys: ['type'] },
    ),
    fc.record({ type: fc.constant('string'), enum: fc.array(fc.constantFrom('a', 'b', 1, null, false)) }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }, { requiredKeys: ['type'] }),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(names, tie('schema')),
        required: fc.uniqueArray(names),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record({ type: fc.constant('string'), minLength: fc.nat(3) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.boolean(),
  ),
}));

const value = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(names, fc.oneof(fc.constantFrom('a', 1, 1.5, true, null), fc.array(fc.constantFrom('b', 2)))),
);

test('accepts only what the full validator accepts', () => {
  let accepted = 0;
  fc.assert(
    fc.property(schema, value, (given, candidate) => {
      const json = JSON.parse(JSON.stringify(candidate));
      if (typeof given !== 'object' || createFastCheck(given)?.(json) !== true) return;
      accepted++;
      expect(createJsonSchemaCheck(given as Record<string, unknown>)(json)).toEqual({ value: json });
    }),
    propertyRuns(3_000),
  );
  expect(accepted).toBeGreaterThan(20);
});

test.each([
  [{ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }, { a: 1 }, true],
  [{ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }, { a: 1.5 }, false],
  [{ type: 'object', required: ['toString'] }, {}, false],
  [{ type: 'object', additionalProperties: false }, { a: 1 }, false],
  [{ type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } }, { list: ['a', 1] }, false],
  [{ type: 'string', enum: ['a'] }, 'a', true],
])('%j checks %j: %s', (given, candidate, expected) => {
  expect(createFastCheck(given)?.(candidate)).toBe(expected);
});

test.each([
  { type: 'string', pattern: 'x' },
  { anyOf: [] },
  { $ref: '#' },
  { type: ['string', 'null'] },
  { type: 'object', additionalProperties: {} },
  {},
  true,
])('leaves %j to the full validator', (given) => {
  expect(createFastCheck(given)).toBeUndefined();
});
