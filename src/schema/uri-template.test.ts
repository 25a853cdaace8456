import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesTemplate } from './uri-template.ts';

test.each([
  ['test://items/{id}', 'test://items/7', true],
  ['test://items/{id}', 'test://items/', false],
  ['test://items/{id}', 'test://items/7/8', false],
  ['test://items/{id}', 'test://other/7', false],
  ['test://items/{id}', 'TEST://items/7', false],
  ['test://{a}/{b}', 'test://x/y', true],
  ['test://{a}/{b}', 'test://x', false],
  ['test://{a}/end', 'test://x/end', true],
  ['test://{a}/end', 'test://x/end/more', false],
  ['file:///{+path}', 'file:///a/b/c.txt', true],
  ['file:///{+path}', 'file:///', false],
  ['file:///{path*}', 'file:///a/b', true],
  ['db://{table}{?limit,offset}', 'db://users?limit=1', true],
  ['db://{table}{?limit,offset}', 'db://users', true],
  ['x://{id}{/rest*}', 'x://7', true],
  ['x://{id}{/rest*}', 'x://7/a/b', true],
  ['x://{id}{.ext}{?q}{#part}', 'x://7.txt?q=1#top', true],
  ['x://{name}.txt', 'x://a.txt.txt', true],
  ['x://{name}.txt', 'x://.txt', false],
  ['x://{a}-{b}', 'x://1-2-3', true],
  ['plain://exact', 'plain://exact', true],
  ['plain://exact', 'plain://exactly', false],
  ['{+any}', 'whatever:you/like', true],
  ['', '', true],
  ['x://{broken', 'x://{broken', false],
])('%j matches %j: %s', (template, uri, fits) => {
  expect(matchesTemplate(uri, template)).toBe(fits);
});

test('a URI made from a template matches it', () => {
  const value = fc.stringMatching(/^[A-Za-z0-9%_~-]{1,12}$/);
  const literal = fc.stringMatching(/^[A-Za-z0-9/]{0,6}$/);
  const parts = fc.array(fc.tuple(literal, value), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(parts, (made) => {
      // The slash after each value marks its end.
      const template = `t:${made.map(([text], index) => `${text}{v${index}}`).join('/')}`;
      const uri = `t:${made.map(([text, chosen]) => text + chosen).join('/')}`;
      expect(matchesTemplate(uri, template)).toBe(true);
    }),
  );
});

test.each(['{a}x', '{+a}', '{/a}x', '{?a}', '{a}{.b}'])('a template of many %s is fast', (part) => {
  const template = `${part.repeat(20_000)}y`;
  expect(matchesTemplate('x'.repeat(100_000), template)).toBe(false);
});
