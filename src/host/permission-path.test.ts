import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPath, textsAt } from './permission-path.ts';
import { type RuledCall, readRules } from './permission-rules.ts';

describe('a path', () => {
  test.each(['', '.', 'a.', '.a', 'a..b', '\\', 'a\\', 'a\\b', 'a.\\b'])('is none: %j', (text) => {
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
  ])('is read: %j', (text, keys) => {
    expect(readPath(text)).toEqual(keys);
  });

  test('leads to what it means, and to whatever its words could mean', () => {
    const args = { a: { b: { c: 1 }, 'b.c': 'two' }, 'a.b': { c: null }, 'a.b.c': ['four'] };
    const all = ['1', 'two', 'null', '["four"]'];
    expect([textsAt(args, ['a', 'b', 'c']), textsAt(args, ['a.b', 'c']), textsAt(args, ['a.b.c'])]).toEqual([
      { meant: '1', all },
      { meant: 'null', all },
      { meant: '["four"]', all },
    ]);
    expect(textsAt(args, ['a', 'c'])).toEqual({ meant: undefined, all: [] });
  });

  test('leads to nothing that every object has', () => {
    for (const key of ['constructor', '__proto__', 'length', 'toString'])
      for (const args of [{ a: {} }, { a: [] }, { a: 'text' }, { a: null }])
        expect(textsAt(args, ['a', key])).toEqual({ meant: undefined, all: [] });
    const own = JSON.parse('{"a":{"__proto__":"x"}}');
    expect(textsAt(own, ['a', '__proto__'])).toEqual({ meant: 'x', all: ['x'] });
  });

  test('of many words costs no more than there are values', () => {
    const words = Array(100).fill('a');
    const args = words.reduceRight<unknown>((inner) => ({ a: inner, 'a.a': 1 }), 'end');
    expect(textsAt(args, words)).toMatchObject({ meant: 'end' });
  });
});

describe('whatever the arguments of a call and the path of a rule are', () => {
  const words = ['a', 'b\\', 'c', 'd'];
  /** One of the eight ways in which these words can be keys. */
  const keysOfWords = fc
    .tuple(fc.boolean(), fc.boolean(), fc.boolean())
    .map((isDot) => words.reduce((way, word, at) => `${way}${isDot[at - 1] === true ? '.' : '/'}${word}`).split('/'));
  const text = fc.constantFrom('x', 'y');
  const ways = fc.array(fc.tuple(keysOfWords, text), { maxLength: 4 });
  const written = (keys: readonly string[]) => keys.map((key) => key.replaceAll(/[\\.]/g, '\\$&')).join('.');
  const isMatch = (decide: string, keys: readonly string[], args: unknown) => {
    const [rule] = readRules([{ arguments: { [written(keys)]: 'x' }, decide }]);
    return rule?.matches({ ...call, arguments: () => args });
  };

  test('a path is read as it was written', () => {
    fc.assert(
      fc.property(keysOfWords, (keys) => {
        expect(readPath(written(keys))).toEqual(keys);
      }),
    );
  });

  test('a rule that denies or asks finds a value however the dots on the way to it are taken', () => {
    fc.assert(
      fc.property(ways, keysOfWords, fc.constantFrom('deny', 'confirm'), (given, keys, decide) => {
        const { args, texts } = plant(given);
        expect(isMatch(decide, keys, args)).toBe([...texts.values()].includes('x'));
      }),
    );
  });

  test('a rule that allows matches what its path means, and only where nothing else could be meant', () => {
    fc.assert(
      fc.property(ways, keysOfWords, (given, keys) => {
        const { args, texts } = plant(given);
        const isAllowed = texts.get(written(keys)) === 'x' && ![...texts.values()].includes('y');
        expect(isMatch('allow', keys, args)).toBe(isAllowed);
      }),
    );
  });

  /** Arguments with a text at the end of each way; of two at the same place the last stays. */
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

const call: RuledCall = { server: 'a', kind: 'tool', tool: 'b', hints: () => ({}), arguments: () => ({}) };
