import { expect, test } from 'vitest';
import { unknownCommand } from './unknown-command.ts';

const KNOWN = {
  commands: ['setup', 'gateway', 'doctor', 'tour', 'connect', 'uninstall'],
  shortForms: ['list', 'remove', 'status', 'call', 'get', 'tools', 'add'],
};

test.each([
  ['undo', 'switchboard setup --undo or switchboard disconnect'],
  ['init', 'switchboard setup'],
  ['install', 'switchboard setup or switchboard connect'],
  ['start', 'switchboard gateway'],
  ['serve', 'switchboard gateway'],
  ['run', 'switchboard call or switchboard codex run'],
  ['show', 'switchboard get or switchboard codex show'],
  ['remove-all', 'switchboard uninstall'],
  ['check', 'switchboard doctor'],
  ['ls', 'switchboard list'],
  ['rm', 'switchboard remove'],
  ['delete', 'switchboard remove'],
  ['config', 'switchboard list or switchboard get'],
  ['version', 'switchboard --version'],
  ['logs', 'switchboard status'],
  ['logout', 'switchboard mcp logout'],
  ['touhr', 'switchboard tour'],
  ['strat', 'switchboard gateway'],
])('suggests for %s: %s', (name, suggested) => {
  expect(unknownCommand(name, KNOWN)).toMatchObject({
    code: 'USAGE',
    message: `There is no command "${name}". Did you mean ${suggested}?`,
  });
});

test('a word that nobody means leads to the help', () => {
  expect(unknownCommand('xyzzyx', KNOWN).message).toBe('There is no command "xyzzyx". See: switchboard --help');
  expect(unknownCommand('__proto__', KNOWN).message).toContain('See: switchboard --help');
});
