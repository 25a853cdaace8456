import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBashLine, quoteForBash } from './bash-line.ts';

const BREAKS = ' \t\n"\'@><=;|&(:';
const read = (line: string) => parseBashLine(line, BREAKS);

test.each(['a; b', 'a | b', 'a && b', 'a > f', 'a < f', 'a $(b', 'a <(b'])(
  'ignores %j, which is more than a simple command',
  (line) => {
    expect(read(line)).toBeUndefined();
  },
);

test.each<[string, readonly string[], string, number, string]>([
  ['', [], '', 0, ''],
  ['sb', [], 'sb', 0, ''],
  ['sb ', ['sb'], '', 0, ''],
  ['sb  mcp\tg', ['sb', 'mcp'], 'g', 0, ''],
  ['sb --scope=gl', ['sb'], '--scope=gl', 8, ''],
  ['sb --scope=', ['sb'], '--scope=', 8, ''],
  ['sb ns:one', ['sb'], 'ns:one', 3, ''],
  ['sb me@ho', ['sb'], 'me@ho', 2, ''],
  ['sb my\\ se', ['sb'], 'my se', 0, ''],
  ["sb 'my se", ['sb'], 'my se', 0, "'"],
  ['sb "my \\"se', ['sb'], 'my "se', 0, '"'],
  ["sb a='x:y", ['sb'], 'a=x:y', 2, "'"],
  ["sb 'a:b'c", ['sb'], 'a:bc', 0, ''],
  ["sb '' x", ['sb', ''], 'x', 0, ''],
  ['sb "$HOME/`', ['sb'], '$HOME/`', 0, '"'],
  ['sb a\\', ['sb'], 'a', 0, ''],
])('%j', (line, words, current, kept, quote) => {
  expect(read(line)).toEqual({ words, current, keptLength: kept, quote });
});

test('quotes a completion for the open quote', () => {
  const written = (line: string, answer: string) => {
    const typed = read(line);
    return typed === undefined ? undefined : quoteForBash(answer, typed);
  };
  expect(written('sb ', `it's "a" b`)).toBe(`it\\'s\\ \\"a\\"\\ b`);
  expect(written("sb 'it", `it's`)).toBeUndefined();
  expect(written("sb 'a", 'a "b" c')).toBe('a "b" c');
  expect(written('sb "a', 'a "b" c')).toBe('a \\"b\\" c');
  expect(written('sb --scope=g', '--scope=global')).toBe('global');
  expect(written('sb ns:', 'ns:one')).toBe('one');
});

test('any inserted word parses back to itself', () => {
  const word = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' });
  fc.assert(
    fc.property(word, fc.constantFrom('', '"', "'"), (answer, quote) => {
      const inserted = quoteForBash(answer, { words: [], current: '', keptLength: 0, quote });
      fc.pre(inserted !== undefined);
      expect(read(`sb ${quote}${inserted}${quote} `)?.words).toEqual(['sb', answer]);
    }),
  );
});
