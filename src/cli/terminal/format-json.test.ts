import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatJson } from './format-json.ts';

test('lays out any JSON like JSON.stringify', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: fc.constantFrom('a', '"', '\\', ' ', '{', ',', ':', '\n') }), (json) => {
      const value: unknown = JSON.parse(json);
      expect(formatJson(json, '  ')).toBe(JSON.stringify(value, undefined, 2));
      expect(formatJson(JSON.stringify(value, undefined, '\t'), '')).toBe(JSON.stringify(value));
    }),
  );
});

test('keeps text that a parser would change', () => {
  const json = '{"n":[9007199254740993,1.0,1e400],"n":"\\u0041","__proto__":{ }}';
  expect(formatJson(json, '  ').replace(/\s/g, '')).toBe(json.replace(/\s/g, ''));
});

test('escapes control and invisible characters without changing the value', () => {
  const value = { 'a\u009b2Jb': '\u202etxt\u{e0041}' };
  const text = formatJson(JSON.stringify(value), '  ');
  expect(text).toBe('{\n  "a\\u009b2Jb": "\\u202etxt\\udb40\\udc41"\n}');
  expect(JSON.parse(text)).toEqual(value);
});

test('limits the indentation of a thousand levels', () => {
  const json = `${'['.repeat(1_000)}1${']'.repeat(1_000)}`;
  expect(formatJson(json, '  ').length).toBeLessThan(250_000);
});
