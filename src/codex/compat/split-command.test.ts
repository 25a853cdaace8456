import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitCommand } from './split-command.ts';

test.for<[string, readonly string[]]>([
  ["/bin/bash -lc 'echo hi'", ['/bin/bash', '-lc', 'echo hi']],
  ['', []],
  ['  one\t two\n', ['one', 'two']],
  [`a'b'"c"\\ d`, ['abc d']],
  [`'' ""`, ['', '']],
  [`"a \\"b\\" \\$c \\n"`, ['a "b" $c \\n']],
  [`'it'"'"'s'`, ["it's"]],
  ['one \\\n two', ['one', 'two']],
])('splits %j like a shell', ([text, words]) => {
  expect(splitCommand(text)).toEqual(words);
});

test.for(["echo 'open", 'echo "open', 'echo \\'])('keeps %j, which no shell can parse, as one word', (text) => {
  expect(splitCommand(text)).toEqual([text]);
});

test('round-trips any quoted words', () => {
  const quote = (word: string) => `'${word.replaceAll("'", `'"'"'`)}'`;
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (words) => {
      expect(splitCommand(words.map(quote).join(' '))).toEqual(words);
    }),
  );
});
