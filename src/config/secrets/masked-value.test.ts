import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatArgument, formatUrl, formatValue, maskArgument, maskSecret } from './masked-value.ts';

const ref = (inner: string) => `\${${inner}}`;

describe('a masked value', () => {
  test.each([
    ['geheim', '(value hidden)'],
    ['', '(value hidden)'],
    [5, '(value hidden)'],
    [{ a: 'geheim' }, '(value hidden)'],
    [ref('TOKEN'), ref('TOKEN')],
    [ref('TOKEN:-geheim'), ref('TOKEN:-(value hidden)')],
    [ref('TOKEN:-a\nb'), ref('TOKEN:-(value hidden)')],
    [`Bearer ${ref('TOKEN')}`, '(value hidden)'],
    [`${ref('A')}geheim${ref('B')}`, '(value hidden)'],
    [`${ref('A:-x')}geheim${ref('B')}`, ref('A:-(value hidden)')],
    [ref('a b'), '(value hidden)'],
    [ref('env:TOKEN'), '(value hidden)'],
  ])('of %j is %s', (value, shown) => {
    expect(maskSecret(value)).toBe(shown);
  });

  test('never shows more than the name of a variable', () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^\$\{[A-Z]{1,3}:-.{0,9}\}$/));
    fc.assert(
      fc.property(anyText, (text) => {
        expect(maskSecret(text)).toMatch(/^(?:\(value hidden\)|\$\{\w+(?::-\(value hidden\))?\})$/);
      }),
    );
  });
});

test.each([
  ['uvx', 'uvx'],
  ['two words', '"two words"'],
  ['\u001b[2J', '"\\u001b[2J"'],
  [ref('REGION:-eu'), `"${ref('REGION:-eu')}"`],
  [`ghp_${'x'.repeat(36)}`, '"***"'],
  [true, 'true'],
  [1.5, '1.5'],
  [null, 'null'],
  [[], '[]'],
  [[1], '[…]'],
  [{}, '{}'],
  [{ a: 1 }, '{…}'],
])('the value %j is shown as %s', (value, shown) => {
  expect(formatValue(value)).toBe(shown);
});

test.each([
  ['-y', undefined, '-y'],
  ['geheim', '--token', '(value hidden)'],
  [ref('TOKEN'), '--api-key', ref('TOKEN')],
  ['--verbose', '--token', '--verbose'],
  ['next', 'token', 'next'],
  ['next', 7, 'next'],
  ['--api-key=geheim', undefined, '--api-key=(value hidden)'],
  ['GITHUB_TOKEN=geheim', '-e', 'GITHUB_TOKEN=(value hidden)'],
  [`TOKEN=${ref('TOKEN')}`, '-e', `TOKEN=${ref('TOKEN')}`],
  ['--region=eu', undefined, '--region=eu'],
  ['DB_PASS=geheim', '-e', 'DB_PASS=(value hidden)'],
  ['geheim', '--pat', '(value hidden)'],
  ['geheim', '--key', '(value hidden)'],
  ['--key=geheim', undefined, '--key=(value hidden)'],
  ['/srv', '--path', '/srv'],
  ['de', '--keyboard', 'de'],
  ['north', '--compass', 'north'],
  ['PASSIVE=1', '-e', 'PASSIVE=1'],
  ['KEYS_ONLY=1', '-e', 'KEYS_ONLY=1'],
  ['Authorization: Bearer geheim123', '--header', 'Authorization: (value hidden)'],
  ['X-API-Key: geheim', '--header', 'X-API-Key: (value hidden)'],
  ['X-API-Key:geheim', undefined, 'X-API-Key:(value hidden)'],
  ['X-Team=geheim', '-H', 'X-Team=(value hidden)'],
  ['--header=X-Team: geheim', undefined, '--header=X-Team: (value hidden)'],
  [`Authorization:${ref('AUTH')}`, '--header', `Authorization:${ref('AUTH')}`],
  ['X-Mode: fast', '--note', '"X-Mode: fast"'],
  ['https://example.com/mcp', '--url', 'https://example.com/mcp'],
  ['C:\\token', undefined, '"C:\\\\token"'],
  [3, '--token', '3'],
])('the argument %j after %j is shown as %s', (arg, before, shown) => {
  expect(formatArgument(arg, before)).toBe(shown);
});

test.each([
  ['two words', undefined, 'two words'],
  ['geheim', '--token', '(value hidden)'],
  ['X-API-Key: geheim', '--header', 'X-API-Key: (value hidden)'],
  ['say: Bearer geheim123', undefined, 'say: Bearer ***'],
  ['\u001b[2J', undefined, '\u001b[2J'],
])('masks the argument %j after %j for a program as %j', (arg, before, shown) => {
  expect(maskArgument(arg, before)).toBe(shown);
});

test.each([
  ['https://example.com/mcp', 'https://example.com/mcp'],
  ['https://a/b?api_key=geheim', '"https://a/b?api_key=(value hidden)"'],
  [`https://a/b?token=${ref('KEY')}&geheim`, `"https://a/b?token=${ref('KEY')}&geheim"`],
  [`https://a/ghp_${'x'.repeat(36)}/b#ghp_${'x'.repeat(36)}`, '"https://a/***/b#***"'],
  ['https://me:geheim@example.com/mcp', '"https://(value hidden)@example.com/mcp"'],
  ['https://geheim@example.com/a@b', '"https://(value hidden)@example.com/a@b"'],
  ['https://a/b?key=geheim&x=y#z', '"https://a/b?key=(value hidden)&x=(value hidden)#z"'],
  [`https://a/b?key=${ref('KEY')}`, `"https://a/b?key=${ref('KEY')}"`],
  [5, '5'],
])('the URL %j is shown as %s', (url, shown) => {
  expect(formatUrl(url)).toBe(shown);
});
