import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { createExpression, createGlob, MAX_EXPRESSION_TEXT, patternError } from './pattern.ts';

describe('a glob', () => {
  test('means what the same regular expression means', () => {
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

  test('matches itself and every text that its stars are filled with', () => {
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
  ])('%j for %j is %s', (pattern, text, expected) => {
    expect(createGlob(pattern)(text)).toBe(expected);
  });

  test('does not explode', () => {
    // A matcher that goes back would need longer than the universe is old.
    expect(createGlob(`${'*a'.repeat(500)}b`)('a'.repeat(1_000_000))).toBe(false);
  });
});

describe('an expression', () => {
  test('that allows has to cover the whole text, with whichever flags', () => {
    const allows = (pattern: RegExp, text: string) => createExpression(pattern, { isAllowRule: true })(text);
    expect([
      allows(/\/tmp\//, '/tmp/x'),
      allows(/^ok$/m, 'ok\nrm'),
      allows(/ok|okay/, 'okay'),
      allows(/(a)\1/, 'aa'),
      allows(/OK/i, 'ok'),
    ]).toEqual(['no', 'no', 'yes', 'yes', 'yes']);
  });

  test('that denies is looked for anywhere', () => {
    const denies = createExpression(/rm -rf/, { isAllowRule: false });
    expect([denies('sudo rm -rf /'), denies('ls')]).toEqual(['yes', 'no']);
  });

  test.each([true, false])(
    'that gets more than the limit does not say that it fits, nor that it does not',
    (isLenient) => {
      const fitOf = createExpression(/a*/, { isAllowRule: isLenient });
      const lengths = [MAX_EXPRESSION_TEXT, MAX_EXPRESSION_TEXT + 1];
      expect(lengths.map((length) => fitOf('a'.repeat(length)))).toEqual(['yes', 'unclear']);
    },
  );

  test('does not change with the one that it was made from', () => {
    const pattern = /a/;
    const fitOf = createExpression(pattern, { isAllowRule: true });
    pattern.exec = () => null;
    expect(fitOf('a')).toBe('yes');
  });
});

test.each([
  [/a/g, /flag g or y/],
  [/a/y, /flag g or y/],
  [5, /must be a string or a regular expression/],
  [null, /must be a string or a regular expression/],
  ['a'.repeat(1025), /longer than 1024 characters/],
])('%s is no pattern', (pattern, message) => {
  expect(patternError(pattern)).toMatch(message);
});

function literal(text: string): string {
  return text.replace(/[.*\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}
