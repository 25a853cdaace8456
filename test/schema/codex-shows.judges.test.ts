import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codex } from '../../src/schema/profiles/codex.ts';
import { propertyRuns } from '../property-runs.ts';
import { asCodexShows } from './codex-compaction.ts';
import { largeToolSchema } from './large-schemas.ts';
import { factsIn, missingFacts } from './schema-facts.ts';

const BUDGET = propertyRuns(60);

/** Above this size, the profile drops arguments, however many Codex would show. */
const MAX_BYTES = 50_000;

const ANY = { $ref: '#/$defs/d0' };
const NUMBER = { type: 'integer', minimum: 0, default: 0 };
const BRANCHES = {
  anyOf: [
    { type: 'object', properties: { abcdef: ANY, ab: ANY }, required: ['abcdef'] },
    {
      anyOf: [
        { type: 'object', properties: { a: NUMBER }, required: ['a'] },
        { type: 'array', items: NUMBER },
      ],
    },
  ],
};
const MAPS = { type: 'object', additionalProperties: { type: 'object', additionalProperties: ANY } };
const LISTS = {
  type: 'object',
  properties: { a: { type: 'array', items: { type: 'array', items: {} } }, b: BRANCHES },
  required: ['a', 'b'],
};

describe('a large schema through the codex profile', () => {
  test('shows every argument, value and requirement that Codex shows without it', { timeout: 120_000 }, () => {
    let cut = 0;
    check((schema, text) => {
      const direct = asCodexShows(schema);
      if (JSON.stringify(direct).length > MAX_BYTES) return;
      if (JSON.stringify(direct) !== JSON.stringify(schema)) cut++;
      expect(missingFacts(factsIn(direct), factsIn(asCodexShows(JSON.parse(text))))).toEqual([]);
    });
    expect(cut).toBeGreaterThan(0);
  });

  // Tries many sizes: a loss occurs only where Codex's own form just fits and ours is a few bytes longer.
  test.each([
    ['maps of references', MAPS, BRANCHES],
    ['lists of lists', LISTS, BRANCHES],
  ])('shows as much at every size: %s', { timeout: 300_000 }, (_, first, second) => {
    const losses: unknown[] = [];
    for (let count = 4; count <= 40; count += 4)
      for (let others = 1; others <= 40; others++) {
        const schema = manyOf({ first: [first, count], second: [second, others] });
        const { text } = codex.rewrite(JSON.stringify(schema));
        losses.push(...missingFacts(factsIn(asCodexShows(schema)), factsIn(asCodexShows(JSON.parse(text)))));
      }
    expect(losses).toEqual([]);
  });

  test('does not get longer, or fits', { timeout: 120_000 }, () => {
    check((schema, text) => {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.max(5000, Buffer.byteLength(JSON.stringify(schema))));
    });
  });

  test('is rewritten idempotently', { timeout: 120_000 }, () => {
    check((_, text) => {
      expect(codex.rewrite(text)).toMatchObject({ text, rewrites: [] });
    });
  });
});

function manyOf(arguments_: Readonly<Record<string, readonly [schema: object, count: number]>>): unknown {
  const properties = Object.entries(arguments_).flatMap(([name, [schema, count]]) =>
    Array.from({ length: count }, (_, index) => [`${name}_${index}`, schema]),
  );
  return { type: 'object', properties: Object.fromEntries(properties), $defs: { d0: { const: 'one' } } };
}

function check(hold: (schema: unknown, text: string) => void): void {
  fc.assert(
    fc.property(largeToolSchema, (schema) => hold(schema, codex.rewrite(JSON.stringify(schema)).text)),
    BUDGET,
  );
}
