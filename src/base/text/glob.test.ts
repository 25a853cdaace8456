import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { createGlob } from './glob.ts';

describe('a glob', () => {
  test('matches like the equivalent regular expression', () => {
    const letters = (...from: readonly string[]) =>
      fc.array(fc.constantFrom(...from), { maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(letters('a', 'b', '*', '*', '.', '\n'), letters('a', 'b', '.', '\n', '*'), (pattern, text) => {
        const source = pattern.split('*').map(literal).join('[\\s\\S]*');
        expect(createGlob(pattern)(text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      propertyRuns(500),
    );
  });

  test('matches itself, and every text that fills its wildcards', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.string(), (pieces, filling) => {
        expect(createGlob(pieces.join('*'))(pieces.join(filling))).toBe(true);
      }),
    );
  });

  test.each([
    ['read', 'read', true],
    ['read', 'Read', false],
    ['read', 'read_file', false],
    ['', '', true],
    ['', 'x', false],
    ['*', '', true],
    ['aba*aba', 'aba', false],
    ['aba*aba', 'abaaba', true],
    ['a*b*b', 'ab', false],
    ['/tmp/*', '/tmp/\n/etc', true],
    ['a.c', 'abc', false],
  ])('%j matches %j: %s', (pattern, text, expected) => {
    expect(createGlob(pattern)(text)).toBe(expected);
  });

  test('has no exponential backtracking', () => {
    // A backtracking matcher would never finish.
    expect(createGlob(`${'*a'.repeat(500)}b`)('a'.repeat(1_000_000))).toBe(false);
  });
});

function literal(text: string): string {
  return text.replace(/[.*\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}
