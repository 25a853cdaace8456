import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { needsNeutralizing } from '../../base/text/safe-text.ts';
import { signatureOf } from './signature.ts';

const WIDE = 1_000;
const of = (properties: object, more: object = {}) => signatureOf({ type: 'object', properties, ...more }, WIDE);

describe('an empty or invalid schema', () => {
  test.each([
    [undefined, '(…)'],
    [null, '(…)'],
    [true, '(…)'],
    ['object', '(…)'],
    [{}, '()'],
    [{ type: 'object' }, '()'],
    [{ type: 'object', properties: [] }, '()'],
    [{ type: 'object', properties: {}, required: 'a' }, '()'],
    [{ type: 'object', additionalProperties: true }, '(…)'],
    [{ anyOf: [{ type: 'object' }, { type: 'string' }] }, '(…)'],
    [{ $ref: 'http://127.0.0.1:9/schema.json' }, '(…)'],
  ])('%j has the signature %s', (schema, written) => {
    expect(signatureOf(schema, WIDE)).toBe(written);
  });

  test('is unknown as the type of an argument', () => {
    expect(of({ a: {}, b: true, c: false, d: 7, e: { type: 'str\u001b[31m' }, f: { type: [] } })).toBe(
      '(a?: unknown, b?: unknown, c?: never, d?: unknown, e?: unknown, f?: never)',
    );
  });
});

describe('arguments', () => {
  test('that are required come first, and optional ones have a question mark', () => {
    const properties = { body: { type: 'string' }, title: { type: 'string' }, labels: { items: { type: 'string' } } };
    expect(of(properties, { required: ['title', 'gone'] })).toBe('(title: string, body?: string, labels?: string[])');
  });

  test('of every type use TypeScript notation', () => {
    const text = { type: 'string' };
    expect(of({ a: { enum: ['a', 1, null, true] } })).toBe('(a?: "a" | 1 | null | true)');
    expect(of({ a: { enum: [1, 2, 3, 4, 5, 6, 7, 8] } })).toBe('(a?: 1 | 2 | 3 | 4 | 5 | 6 | …)');
    expect(of({ a: { const: 'x' } })).toBe('(a?: "x")');
    expect(of({ a: { type: ['string', 'null'] } })).toBe('(a?: string | null)');
    expect(of({ a: { anyOf: [text, { type: 'integer' }, text] } })).toBe('(a?: string | integer)');
    expect(of({ a: { allOf: [{ $ref: '#/$defs/x' }, {}] } }, { $defs: { x: text } })).toBe('(a?: string)');
    expect(of({ a: { type: 'array', items: { enum: ['x', 'y'] } } })).toBe('(a?: ("x" | "y")[])');
    expect(of({ a: { type: 'array' } })).toBe('(a?: unknown[])');
    expect(of({ a: { type: 'array', prefixItems: [text, { type: 'number' }] } })).toBe('(a?: [string, number])');
    expect(of({ a: { type: 'object' } })).toBe('(a?: object)');
    expect(of({ a: { type: 'object', additionalProperties: text } })).toBe('(a?: {[key]: string})');
    expect(of({ a: { type: 'object', properties: { x: text, y: { enum: [1, 2] } }, required: ['x'] } })).toBe(
      '(a?: {x: string, y?: 1 | 2})',
    );
  });

  test('with ambiguous names are quoted, with control characters escaped', () => {
    expect(of({ 'a b': {}, 'c\u001b[2J': {}, 'd\u202e': {}, 'a: string': { enum: ['"\n\u202e'] } })).toBe(
      '("a b"?: unknown, "c\\u001b[2J"?: unknown, "d\\u202e"?: unknown, "a: string"?: "\\"\\n\\u202e")',
    );
  });
});

describe('references', () => {
  test('are resolved only within the schema', () => {
    const more = { $defs: { 'a/b c': { type: 'string' }, list: [{ type: 'number' }] } };
    const properties = {
      a: { $ref: '#/$defs/a~1b%20c' },
      b: { $ref: '#/$defs/list/0' },
      c: { $ref: '#/$defs/gone' },
      d: { $ref: 'https://x/y' },
      e: { $ref: '#/$defs/%' },
    };
    expect(of(properties, more)).toBe('(a?: string, b?: number, c?: unknown, d?: unknown, e?: unknown)');
  });

  test('that are circular terminate', () => {
    const more = {
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' }, tree: { items: { $ref: '#/$defs/tree' } } },
    };
    expect(of({ x: { $ref: '#/$defs/a' } }, more)).toBe('(x?: unknown)');
    expect(of({ x: { $ref: '#/$defs/tree' } }, more)).toBe(`(x?: unknown${'[]'.repeat(8)})`);
  });

  test('that expand exponentially have a bounded cost', () => {
    const twice = (next: string) => ({
      anyOf: Array(6).fill({ type: 'array', prefixItems: Array(12).fill({ $ref: next }) }),
    });
    const $defs = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`d${at}`, twice(`#/$defs/d${at + 1}`)]));
    const properties = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, { $ref: '#/$defs/d0' }]));
    const written = signatureOf({ type: 'object', properties, $defs }, 60);
    expect(written).toMatch(/^\(p0\?, .*, …\)$/);
    expect(written.length).toBeLessThanOrEqual(60);
  });
});

describe('a signature over the limit', () => {
  const inner = { type: 'object', properties: { street: { type: 'string' }, town: { type: 'string' } } };
  const schema = {
    type: 'object',
    properties: { home: inner, work: { type: 'object', properties: { at: inner } } },
    required: ['home'],
  };

  test.each([
    [200, '(home: {street?: string, town?: string}, work?: {at?: {street?: string, town?: string}})'],
    [70, '(home: {street?: string, town?: string}, work?: {at?: {…}})'],
    [40, '(home: {…}, work?: {…})'],
    [20, '(home: {…}, work?)'],
    [15, '(home, work?)'],
    [12, '(home, …)'],
    [9, '(home, …)'],
    [5, '(…)'],
  ])('in %i characters loses detail step by step', (maxLength, written) => {
    expect(signatureOf(schema, maxLength)).toBe(written);
  });

  const message = {
    type: 'object',
    properties: { kind: { enum: ['error', 'success', 'debug'] }, picture: { type: 'boolean' } },
    required: ['kind'],
  };

  test.each([
    [59, '(kind: "error" | "success" | "debug", picture?: boolean)'],
    [55, '(kind: "error" | "success" | …, picture?: boolean)'],
    [45, '(kind: "error" | …, picture?: boolean)'],
    [35, '(kind: "error" | …, picture?)'],
    [20, '(kind, picture?)'],
    [15, '(kind, …)'],
  ])('in %i characters drops choices before types, last ones first', (maxLength, written) => {
    expect(signatureOf(message, maxLength)).toBe(written);
  });
});

test('keeps the types of the first arguments if not all names fit', () => {
  const properties = { url: { type: 'string' }, message: { type: 'string' }, elicitationId: { type: 'string' } };
  expect([40, 29, 20].map((maxLength) => signatureOf({ properties, required: ['url'] }, maxLength))).toEqual([
    '(url: string, message?, elicitationId?)',
    '(url: string, message?, …)',
    '(url, message?, …)',
  ]);
});

test('any schema yields one line of bounded length without control characters', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'anyOf',
    'enum',
    '$ref',
    'required',
    'allOf',
    'x\u001b[1m',
  );
  const leaf = fc.oneof(fc.constantFrom('object', 'array', 'string', '#/properties/a', '#'), fc.string(), fc.integer());
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.dictionary(keyword, tie('schema')),
      fc.array(tie('schema'), { maxLength: 4 }),
    ),
  }));
  fc.assert(
    fc.property(schema, fc.integer({ min: 5, max: 300 }), (value, maxLength) => {
      const written = signatureOf(value, maxLength);
      expect(written.length).toBeLessThanOrEqual(maxLength);
      expect(needsNeutralizing(written)).toBe(false);
    }),
  );
});
