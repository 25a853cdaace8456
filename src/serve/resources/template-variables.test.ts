import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readVariables } from './template-variables.ts';

test.each([
  ['another scheme', 'note://{id}', 'file://a'],
  ['an empty variable', 'note://{id}', 'note://'],
  ['a second segment', 'note://{id}', 'note://a/b'],
  ['a query that the template does not have', 'note://{id}', 'note://a?x=1'],
  ['a fragment that the template does not have', 'note://{id}', 'note://a#x'],
  ['an unknown name in the query', 'note://{id}{?page}', 'note://a?x=1'],
  ['text instead of the query', 'note://{id}/diff{?page}', 'note://a/diffs'],
  ['an invalid percent escape', 'note://{id}', 'note://%zz'],
])('does not match: %s', (_, template, uri) => {
  expect(readVariables(uri, template)).toBeUndefined();
});

test.each([
  ['note://{id}', 'note://a%2Fb', { id: 'a/b' }],
  ['note://{id}/data', 'note://1/data', { id: '1' }],
  ['note://{a},{b}', 'note://1,2', { a: '1', b: '2' }],
  ['note://{a,b}', 'note://1,2,3', { a: '1', b: '2,3' }],
  ['note://{a,b}', 'note://1', { a: '1' }],
  ['file://{+path}', 'file:///srv/a%20b.txt', { path: '/srv/a b.txt' }],
  ['note://{id}{?page,size}', 'note://1', { id: '1' }],
  ['note://{id}{?page,size}', 'note://1?size=2&page=a%3Db', { id: '1', page: 'a=b', size: '2' }],
  ['note://1?fixed=1{&page}', 'note://1?fixed=1&page=2', { page: '2' }],
  ['note://{id}{/path*}', 'note://1/a/b', { id: '1', path: 'a/b' }],
  ['note://{id}{.type}', 'note://1.txt', { id: '1', type: 'txt' }],
  ['note://{id}{;v}', 'note://1;v=2', { id: '1', v: '2' }],
  ['note://{id}{#part}', 'note://1#top', { id: '1', part: 'top' }],
  ['note://{__proto__}', 'note://1', Object.fromEntries([['__proto__', '1']])],
])('%s reads %s', (template, uri, variables) => {
  expect(readVariables(uri, template)).toEqual(variables);
});

test('reads any encoded values', () => {
  const name = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(name, name, (id, page) => {
      const uri = `note://${encodeURIComponent(id)}/part?page=${encodeURIComponent(page)}`;
      expect(readVariables(uri, 'note://{id}/part{?page}')).toEqual({ id, page });
    }),
  );
});
