import { describe, expect, test } from 'vitest';
import { type ArgumentRules, parseArguments } from './parse-arguments.ts';

const rules: ArgumentRules = {
  command: 'switchboard x',
  positionals: ['<id>', '<more>'],
  requiredPositionals: 1,
  options: ['--one', '--secret'],
  repeatableOptions: ['--many', '--raw'],
  verbatimOptions: ['--raw'],
  optionalValues: ['--secret'],
  flags: ['--flag'],
  takesCommand: true,
};

describe('rejects arguments', () => {
  test.each([
    [[], '<id> is missing.'],
    [['a', 'b', 'c'], 'Unexpected argument c: put the command after --.'],
    [['a', '--on', 'x'], 'There is no option --on. Did you mean --one?'],
    [
      ['a', '--zzz=1'],
      'There is no option --zzz. Usage: switchboard x <id> <more> [options]; see switchboard x --help',
    ],
    [['a', '-1'], 'There is no option -1.'],
    [['a', '--one'], '--one needs a value.'],
    [['a', '--one', '--flag'], '--one needs a value.'],
    [['a', '--one', '1', '--one=2'], '--one may be given only once.'],
    [['a', '--one', ''], '--one is empty.'],
    [['a', '--secret='], '--secret is empty.'],
    [['a', '--flag=1'], '--flag takes no value.'],
    [['a', '--raw'], '--raw needs a value.'],
    [['a', '--\u001b[2J'], 'There is no option "--\\u001b[2J".'],
  ])('%j', (args, message) => {
    expect(() => parseArguments(args, rules)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });
});

test('reads arguments in any order, and passes on everything after --', () => {
  const asked = parseArguments(
    ['--many', 'a=b', 'id', '--raw', '--flag', '--many=', '--secret', '--json', '-', '--', '--one', '--', 'x'],
    rules,
  );
  expect({ positionals: asked.positionals, command: asked.command, isJson: asked.isJson }).toEqual({
    ...{ positionals: ['id', '-'], command: ['--one', '--', 'x'], isJson: true },
  });
  expect([asked.values('--many'), asked.values('--raw'), asked.values('--one')]).toEqual([['a=b', ''], ['--flag'], []]);
  expect([asked.has('--secret'), asked.value('--secret'), asked.has('--flag')]).toEqual([true, undefined, false]);
});

test('reads everything after -- as positionals if there is no command', () => {
  const read = (...args: string[]) => parseArguments(args, { ...rules, takesCommand: false });
  const asked = read('--flag', 'a', '--', '--one');
  expect([asked.positionals, asked.command, asked.has('--one'), asked.has('--flag')]).toEqual([
    ['a', '--one'],
    undefined,
    false,
    true,
  ]);
  expect(read('--', '-x', '--').positionals).toEqual(['-x', '--']);
  expect(() => read('--', 'a', 'b', '-c')).toThrow('Unexpected argument -c.');
  expect(() => read('--')).toThrow('<id> is missing.');
  expect(() => read('-x')).toThrow('There is no option -x. If it is an argument, write -- before it.');
});

test('does not read a URL as the value of an optional secret', () => {
  const rules = {
    command: 'switchboard mcp add',
    positionals: ['<id>', '<url>'],
    requiredPositionals: 1,
    options: ['--bearer-token'],
  };
  const read = (...args: string[]) => parseArguments(args, { ...rules, optionalValues: ['--bearer-token'] });
  expect(() => read('x', '--bearer-token', 'https://a.example/mcp')).toThrow(
    '--bearer-token is followed by a URL. Put the URL before it, or write --bearer-token=<value>.',
  );
  expect(read('x', 'https://a.example/mcp', '--bearer-token').values('--bearer-token')).toEqual([undefined]);
  expect(read('x', '--bearer-token=https://odd').value('--bearer-token')).toBe('https://odd');
});

test('names the missing required positional', () => {
  const rules = {
    command: 'switchboard mcp resources read',
    positionals: ['[server]', '<uri>'],
    requiredPositionals: 1,
  };
  expect(() => parseArguments([], rules)).toThrow('<uri> is missing.');
});
