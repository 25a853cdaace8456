import { expect, test } from 'vitest';
import { isSameIssuer } from './issuer.ts';

test.each([
  ['https://a.test', 'https://a.test/', true],
  ['https://a.test/', 'https://a.test/', true],
  ['https://a.test:8443', 'https://a.test:8443/', true],
  ['https://a.test/x', 'https://a.test/x/', false],
  ['https://a.test//', 'https://a.test/', false],
  ['https://a.test/?a', 'https://a.test?a', false],
  ['https://a.test', 'http://a.test/', false],
  ['https://a.test', 'https://A.test/', false],
  ['https://a.test', 'https://a.test.evil/', false],
  ['https://a.test', 'https://a.test:443/', false],
  [undefined, undefined, false],
])('%s and %s are the same issuer: %s', (one, other, expected) => {
  expect([isSameIssuer(one, other), isSameIssuer(other, one)]).toEqual([expected, expected]);
});
