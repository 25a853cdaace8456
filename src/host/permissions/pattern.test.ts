import { describe, expect, test } from 'vitest';
import { createExpression, MAX_EXPRESSION_TEXT, patternError } from './pattern.ts';

describe('a regular expression', () => {
  test('in an allow rule must match the whole text, with any flags', () => {
    const allows = (pattern: RegExp, text: string) => createExpression(pattern, { isAllowRule: true })(text);
    expect([
      allows(/\/tmp\//, '/tmp/x'),
      allows(/^ok$/m, 'ok\nrm'),
      allows(/ok|okay/, 'okay'),
      allows(/(a)\1/, 'aa'),
      allows(/OK/i, 'ok'),
    ]).toEqual(['no', 'no', 'yes', 'yes', 'yes']);
  });

  test('in a deny rule matches anywhere', () => {
    const denies = createExpression(/rm -rf/, { isAllowRule: false });
    expect([denies('sudo rm -rf /'), denies('ls')]).toEqual(['yes', 'no']);
  });

  test.each([true, false])('is inconclusive for a text over the limit', (isLenient) => {
    const fitOf = createExpression(/a*/, { isAllowRule: isLenient });
    const lengths = [MAX_EXPRESSION_TEXT, MAX_EXPRESSION_TEXT + 1];
    expect(lengths.map((length) => fitOf('a'.repeat(length)))).toEqual(['yes', 'unclear']);
  });

  test('is independent of later changes to the original', () => {
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
])('%s is not a valid pattern', (pattern, message) => {
  expect(patternError(pattern)).toMatch(message);
});
