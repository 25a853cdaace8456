import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeTomlError, parseConfigValue, parseToml, toTomlLiteral } from './toml.ts';

describe('a value of the config argument', () => {
  test.each([
    '',
    ' ',
    'gpt-5.5',
    'workspace-write',
    'True',
    ' two words ',
    '"open',
    'He said "no"',
    '[not, toml]',
    '{ a: 1 }',
    '# heading',
    '1\nvalue2 = 2',
    'a = 1',
    '9007199254740993',
    '[[table]]x',
    '['.repeat(2_000),
  ])('%j is not a TOML literal and stays unchanged', async (text) => {
    expect(await parseConfigValue(text)).toBe(text);
  });

  test.each<[string, unknown]>([
    ['1', 1],
    ['-1.5', -1.5],
    ['0x1F', 31],
    ['1_000', 1000],
    ['true', true],
    ['false # by the way', false],
    ['"quoted"', 'quoted'],
    ["'C:\\new'", 'C:\\new'],
    [' "1" ', '1'],
    ['"""two\nlines"""', 'two\nlines'],
    ['[1, ["a", true]]', [1, ['a', true]]],
    ['{ a = 1, b.c = "d", "e.f" = [] }', { a: 1, b: { c: 'd' }, 'e.f': [] }],
    ['1979-05-27', '1979-05-27'],
    ['07:32:00', '07:32:00.000'],
    ['1979-05-27T07:32:00Z', '1979-05-27T07:32:00.000Z'],
    ['[1979-05-27T00:32:00-07:00]', ['1979-05-27T00:32:00.000-07:00']],
    ['inf', 'inf'],
    ['-inf', '-inf'],
    ['[nan]', ['nan']],
  ])('%j is a TOML literal', async (text, value) => {
    expect(await parseConfigValue(text)).toStrictEqual(value);
  });

  test('named __proto__ changes no prototype', async () => {
    const value = await parseConfigValue('{ __proto__ = { polluted = true } }');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}');
  });
});

describe('a TOML literal', () => {
  test.each([[null], [undefined], [[1, null]], [{ a: { b: null } }], [() => 1], [1n]])(
    'cannot be made from %o',
    (value) => expect(() => toTomlLiteral(value)).toThrow(expect.objectContaining({ code: 'BAD_ARGUMENTS' })),
  );

  test.each<[unknown, string]>([
    ['it\'s "so"\n\u007f\ud800', '"it\'s \\"so\\"\\n\\u007f\ufffd"'],
    [-0, '0'],
    [1.5, '1.5'],
    [1e19, '1e+19'],
    [Number.NaN, 'nan'],
    [Number.NEGATIVE_INFINITY, '-inf'],
    [[], '[]'],
    [{}, '{}'],
    [{ plain_key: true, 'a.b': { '': [1] }, left: undefined }, '{plain_key = true, "a.b" = {"" = [1]}}'],
  ])('is made from %o', (value, literal) => expect(toTomlLiteral(value)).toBe(literal));

  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
    ),
  })).value;

  test('parses back to its value', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        expect(await parseConfigValue(toTomlLiteral(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

test('reports the line of invalid TOML, without its content', async () => {
  const error: unknown = await parseToml('a = 1\nkey = secret').catch((thrown: unknown) => thrown);
  expect(describeTomlError(error)).toEqual({ line: 2, message: expect.stringMatching(/^This is not TOML: \S.*\.$/) });
  expect(describeTomlError(error).message).not.toContain('secret');
  expect(describeTomlError('a string')).toEqual({ line: 0, message: 'This is not TOML: unknown error.' });
});
