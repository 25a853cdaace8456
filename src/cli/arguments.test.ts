import { describe, expect, test } from 'vitest';
import { type ArgumentRules, readArguments } from './arguments.ts';

const rules: ArgumentRules = {
  command: 'switchboard x',
  words: ['<id>', '<more>'],
  needed: 1,
  once: ['--one', '--secret'],
  many: ['--many', '--raw'],
  verbatim: ['--raw'],
  optional: ['--secret'],
  flags: ['--flag'],
  takesCommand: true,
};

describe('arguments are refused', () => {
  test.each([
    [[], '<id> is missing.'],
    [['a', 'b', 'c'], 'c is one word too many: a command stands after --.'],
    [['a', '--on', 'x'], 'There is no option --on. Did you mean --one?'],
    [
      ['a', '--zzz=1'],
      'There is no option --zzz. Usage: switchboard x <id> <more> [options]; see switchboard x --help',
    ],
    [['a', '-1'], 'There is no option -1.'],
    [['a', '--one'], '--one needs a value.'],
    [['a', '--one', '--flag'], '--one needs a value.'],
    [['a', '--one', '1', '--one=2'], '--one may be given once only.'],
    [['a', '--one', ''], '--one is empty.'],
    [['a', '--secret='], '--secret is empty.'],
    [['a', '--flag=1'], '--flag takes no value.'],
    [['a', '--raw'], '--raw needs a value.'],
    [['a', '--\u001b[2J'], 'There is no option "--\\u001b[2J".'],
  ])('%j', (args, message) => {
    expect(() => readArguments(args, rules)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });

  test('after -- where no command is taken', () => {
    expect(() => readArguments(['a', '--', 'b'], { ...rules, takesCommand: false })).toThrow(
      'Nothing may stand after --.',
    );
  });
});

test('arguments are read in any order, and what stands after -- belongs to somebody else', () => {
  const asked = readArguments(
    ['--many', 'a=b', 'id', '--raw', '--flag', '--many=', '--secret', '--json', '-', '--', '--one', '--', 'x'],
    rules,
  );
  expect({ words: asked.words, command: asked.command, isJson: asked.isJson }).toEqual({
    ...{ words: ['id', '-'], command: ['--one', '--', 'x'], isJson: true },
  });
  expect([asked.values('--many'), asked.values('--raw'), asked.values('--one')]).toEqual([['a=b', ''], ['--flag'], []]);
  expect([asked.has('--secret'), asked.value('--secret'), asked.has('--flag')]).toEqual([true, undefined, false]);
});
