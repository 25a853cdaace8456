import { expect, test } from 'vitest';
import { type OptionRules, parseOptions } from './parse-options.ts';

const rules: OptionRules = {
  command: 'switchboard x',
  options: ['--one'],
  repeatableOptions: ['--many'],
  flags: ['--flag'],
};

test.each([
  [['--one', '1', '--one=2'], '--one may be given only once.'],
  [['--one'], '--one needs a value.'],
  [['--many', '--flag'], '--many needs a value.'],
  [['--on=1'], 'switchboard x does not accept "--on=1". Did you mean --one?'],
  [['--flag=yes'], 'switchboard x does not accept "--flag=yes". Did you mean --flag?'],
  [['word'], 'switchboard x does not accept "word".'],
])('rejects %j', (args, message) => {
  expect(() => parseOptions(args, rules)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: `${message} See: switchboard x --help` }),
  );
});

test('returns the values of every given option in order', () => {
  expect([...parseOptions(['--many', 'a', '--flag', '--one=b=c', '--many=', '--flag'], rules)]).toEqual([
    ['--many', ['a', '']],
    ['--flag', []],
    ['--one', ['b=c']],
  ]);
});
