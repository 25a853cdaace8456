import { expect, test } from 'vitest';
import { parseJsonPointer } from './json-pointer.ts';

test.each([
  ['#', []],
  ['#/', ['']],
  ['#/a/0', ['a', '0']],
  ['#/a//b', ['a', '', 'b']],
  ['#/a~1b/~0/~01', ['a/b', '~', '~1']],
  ['#/a%20b', ['a b']],
  ['#/a%2Fb%7E1c', ['a', 'b/c']],
  ['', undefined],
  ['#a', undefined],
  ['/a', undefined],
  ['https://example.com/#/a', undefined],
  ['#/%', undefined],
])('the steps of %j are %j', (fragment, steps) => {
  expect(parseJsonPointer(fragment)).toEqual(steps);
});
