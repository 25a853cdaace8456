import { expect, test } from 'vitest';
import { partsOfCredential, partsOfHeader, passwordInUrl } from './credential-parts.ts';

const basic = (text: string) => Buffer.from(text).toString('base64');

test.each([
  ['a plain key', 'key-1', []],
  ['a bearer token', 'Bearer abc-123', ['abc-123']],
  ['basic credentials', `Basic ${basic('me:pass:word')}`, [basic('me:pass:word'), 'me:pass:word', 'pass:word']],
  ['basic credentials in lower case', `basic ${basic('me:pw')}`, [basic('me:pw'), 'me:pw', 'pw']],
  ['basic credentials without a password', `Basic ${basic('me')}`, [basic('me'), 'me']],
  ['a URL with a password', 'postgresql://me:p%40ss@localhost/db', ['p%40ss', 'p@ss']],
  ['a URL without a password', 'https://example.com/a?b=c', []],
])('of %s', (_, value, parts) => {
  expect(partsOfCredential(value)).toEqual(parts);
});

test('of a header includes named values', () => {
  expect(partsOfHeader('session=abc-123; user="me"')).toEqual(['user="me"', 'abc-123', 'me']);
  expect(partsOfHeader('Token token="abc-123"')).toEqual(['token="abc-123"', 'abc-123']);
});

test('a password with invalid percent-encoding stays as written', () => {
  expect(passwordInUrl('redis://:p%ZZ@localhost')).toEqual(['p%ZZ']);
});
