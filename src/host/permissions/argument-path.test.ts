import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ArgumentPath, textsAtPath as findTexts, readPath } from './argument-path.ts';
import { type RuleSubject, readRules } from './rules.ts';

describe('a path', () => {
  test.each(['', '.', 'a.', '.a', 'a..b', '\\', 'a\\', 'a\\b', 'a.\\b'])('is invalid: %j', (text) => {
    expect(readPath(text)).toBeUndefined();
  });

  test.each([
    ['a', ['a']],
    ['a.b.0', ['a', 'b', '0']],
    ['a\\.b', ['a.b']],
    ['a\\.b.c', ['a.b', 'c']],
    ['\\.', ['.']],
    ['a\\\\.b', ['a\\', 'b']],
    ['a\\\\\\.b', ['a\\.b']],
    ['😀.\n', ['😀', '\n']],
  ])('is parsed: %j', (text, keys) => {
    expect(readPath(text)).toEqual(keys);
  });

  test('finds what it means, and everything that its keys could mean', () => {
    const args = { a: { b: { c: 1 }, 'b.c': 'two' }, 'a.b': { c: null }, 'a.b.c': ['four'] };
    const all = ['1', 'two', 'null', '["four"]'];
    expect([textsIn(args, ['a', 'b', 'c']), textsIn(args, ['a.b', 'c']), textsIn(args, ['a.b.c'])]).toEqual([
      { meant: '1', all },
      { meant: 'null', all },
      { meant: '["four"]', all },
    ]);
    expect(textsIn(args, ['a', 'c'])).toEqual({ meant: undefined, all: [] });
  });

  test('also finds keys below it that are written with dots', () => {
    const args = { 'a.b': 1, a: { 'b.c': [2], b: 'x' }, 'a.b.c.d': null, 'a.bc': 0 };
    expect(textsIn(args, ['a', 'b'])).toEqual({ meant: 'x', all: ['1', 'x', '{"c":[2]}', '{"c.d":null}'] });
    expect(textsIn(args, ['a.b.c'])).toEqual({ meant: undefined, all: ['[2]', '{"d":null}'] });
    expect(textsIn({ 'a.b': 1, 'a."': 2 }, ['a'])).toEqual({
      meant: undefined,
      all: ['{"b":1}', '{"\\"":2}', '{"b":1,"\\"":2}'],
    });
  });

  test('finds values exactly as sent, and both values of a duplicate key', () => {
    expect(textsAt('{"a":9007199254740993,"b":[1.0,1e400]}', ['a'])).toEqual({
      meant: '9007199254740993',
      all: ['9007199254740993'],
    });
    expect(textsAt('{"b":[1.0,1e400]}', ['b']).meant).toBe('[1.0,1e400]');
    expect(textsAt('{"b":[1.0,1e400]}', ['b', '1']).meant).toBe('1e400');
    expect(textsAt('{"a":"\\u002fx","\\u0061":{"b":1}}', ['a'])).toEqual({ meant: '{"b":1}', all: ['/x', '{"b":1}'] });
  });

  test('skips deeply nested values', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(textsAt(`{"deep":${deep},"a":"x"}`, ['a'])).toEqual({ meant: 'x', all: ['x'] });
    expect(textsAt(`{"deep":${deep}}`, ['deep'])).toEqual({ meant: deep, all: [deep] });
  });

  test('finds no inherited properties', () => {
    for (const key of ['constructor', '__proto__', 'length', 'toString'])
      for (const args of [{ a: {} }, { a: [] }, { a: 'text' }, { a: null }])
        expect(textsIn(args, ['a', key])).toEqual({ meant: undefined, all: [] });
    expect(textsAt('{"a":{"__proto__":"x"}}', ['a', '__proto__'])).toEqual({ meant: 'x', all: ['x'] });
  });

  test('of many keys costs no more than there are values', () => {
    const words = Array(100).fill('a');
    const args = words.reduceRight<unknown>((inner) => ({ a: inner, 'a.a': 1 }), 'end');
    expect(textsIn(args, words)).toMatchObject({ meant: 'end' });
  });
});

describe('for any arguments and any path of a rule', () => {
  const words = ['a', 'b\\', 'c', 'd'];
  /** One of the eight ways to nest these words as keys. */
  const keysOfWords = fc
    .tuple(fc.boolean(), fc.boolean(), fc.boolean())
    .map((isDot) => words.reduce((way, word, at) => `${way}${isDot[at - 1] === true ? '.' : '/'}${word}`).split('/'));
  const text = fc.constantFrom('x', 'y');
  const ways = fc.array(fc.tuple(keysOfWords, text), { maxLength: 4 });
  const written = (keys: readonly string[]) => keys.map((key) => key.replaceAll(/[\\.]/g, '\\$&')).join('.');
  const fitOf = (decide: string, keys: readonly string[], args: unknown) => {
    const [rule] = readRules([{ arguments: { [written(keys)]: 'x' }, decide }]);
    return rule?.match({ ...call, arguments: () => JSON.stringify(args) });
  };

  test('a path is parsed as it was written', () => {
    fc.assert(
      fc.property(keysOfWords, (keys) => {
        expect(readPath(written(keys))).toEqual(keys);
      }),
    );
  });

  test('a rule matches if its path is unambiguous, and does not if nothing could match', () => {
    fc.assert(
      fc.property(ways, keysOfWords, fc.constantFrom('allow', 'deny', 'confirm'), (given, keys, decide) => {
        const { args, texts } = plant(given);
        const found = [...texts.values()];
        const isSure = texts.get(written(keys)) === 'x' && !found.includes('y');
        expect(fitOf(decide, keys, args)).toBe(isSure ? 'yes' : found.includes('x') ? 'unclear' : 'no');
      }),
    );
  });

  /** Arguments with a string at the end of each path. If two paths are the same, the last one wins. */
  function plant(given: readonly (readonly [readonly string[], string])[]) {
    const args: Record<string, unknown> = {};
    for (const [keys, value] of given) {
      const holder = keys.slice(0, -1).reduce((at, key) => {
        at[key] ??= {};
        return at[key] as Record<string, unknown>;
      }, args);
      holder[keys.at(-1) ?? ''] = value;
    }
    return { args, texts: new Map(given.map(([keys, value]) => [written(keys), value])) };
  }
});

const call: RuleSubject = { server: 'a', kind: 'tool', tool: 'b', hints: () => ({}), arguments: () => '{}' };

function textsIn(value: unknown, path: ArgumentPath) {
  return textsAt(JSON.stringify(value), path);
}

function textsAt(json: string, path: ArgumentPath) {
  const { exact, all } = findTexts(json, path);
  return { meant: exact, all: all.map(({ text }) => text) };
}
