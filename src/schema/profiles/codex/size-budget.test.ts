import { Validator } from '@cfworker/json-schema';
import { describe, expect, test } from 'vitest';
import { codex } from '../codex.ts';

describe('a schema over 5000 bytes', () => {
  const many = (count: number, property: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, property]));

  test.each([
    [
      'first shortens descriptions',
      many(10, { type: 'string', description: 'x'.repeat(1000) }),
      (size: number) => size > 2500,
    ],
    [
      'keeps the start of many descriptions',
      many(60, { type: 'integer', description: 'one of many numbers that this tool takes, of sixty', minimum: 1 }),
      (size: number) => size > 3500,
    ],
    [
      'keeps nested schemas rather than descriptions',
      many(10, { type: 'object', properties: many(12, { type: 'string', description: 'x'.repeat(40) }) }),
      (size: number) => size > 3000,
    ],
    [
      'then drops deeply nested schemas',
      many(25, {
        type: 'array',
        items: { type: 'array', items: { type: 'object', properties: many(10, { type: 'string' }) } },
      }),
      (size: number) => size > 500,
    ],
  ])('%s', (_, properties, isPlausible) => {
    const { text, rewrites } = codex.rewrite(JSON.stringify(closed(properties)));
    const { additionalProperties, required, properties: shown } = JSON.parse(text);
    expect(Buffer.byteLength(text)).toBeLessThan(5000);
    expect(isPlausible(text.length)).toBe(true);
    expect(required).toEqual(['p7']);
    expect(additionalProperties).toBe(false);
    expect(Object.keys(shown)).toEqual(Object.keys(properties));
    expect(rewrites.length).toBeGreaterThan(0);
  });

  test('is complete but without descriptions, as Codex shows it, if it cannot fit', () => {
    const { text } = codex.rewrite(JSON.stringify(closed(many(1000, { type: 'string', description: 'x' }))));
    expect(JSON.parse(text)).toEqual(closed(many(1000, { type: 'string' })));
  });

  test('drops arguments but still allows them if it is far too large for any model', () => {
    const { text } = codex.rewrite(JSON.stringify(closed(many(10_000, { type: 'string' }))));
    const { additionalProperties, required, properties } = JSON.parse(text);
    expect(Buffer.byteLength(text)).toBeLessThan(50_000);
    expect(Object.keys(properties).length).toBeGreaterThan(1500);
    expect(properties).toHaveProperty('p7');
    expect({ additionalProperties, required }).toEqual({ required: ['p7'] });
  });

  const closed = (properties: object) => ({
    type: 'object',
    properties,
    required: ['p7'],
    additionalProperties: false,
  });
});

test('a tuple with too many members for a large schema accepts every item that it accepted before', () => {
  const member = (index: number) => ({ type: 'object', properties: { [`key ${index}`]: { enum: [index] } } });
  const tuple = { type: 'array', prefixItems: [{ type: 'number' }, member(1), member(2)], items: { type: 'null' } };
  const properties = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`tuple ${index}`, tuple]));
  const { text } = codex.rewrite(JSON.stringify({ type: 'object', properties }));
  const { valid } = new Validator(JSON.parse(text), '2020-12').validate({ 'tuple 0': [1, { 'key 1': 1 }] });
  expect(valid).toBe(true);
});
