import { expect, test } from 'vitest';
import { quoteForShell } from './shell-quote.ts';

test.each([
  ['files', 'files'],
  ['a:b/c.d@e+f-g', 'a:b/c.d@e+f-g'],
  ['my files', "'my files'"],
  ['$(touch x)', "'$(touch x)'"],
  ["it's", "'it'\\''s'"],
  ['-x', "'-x'"],
  ['', "''"],
  ['a\u001b[2J\n', "'a\\u001b[2J\\u000a'"],
])('quotes %j as %s', (text, word) => {
  expect(quoteForShell(text)).toBe(word);
});
