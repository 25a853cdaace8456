import { describe, expect, test } from 'vitest';
import { createExpression, MAX_EXPRESSION_TEXT, patternError } from './pattern.ts';

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
