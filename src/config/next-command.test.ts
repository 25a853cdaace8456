import { expect, test } from 'vitest';
import {
  addOption,
  commandFor,
  disableCommand,
  enableCommand,
  loginCommand,
  testCommand,
  trustToolsCommand,
  warmCommand,
} from './next-command.ts';

const at = (layer: 'explicit' | 'codex' | 'mcp-json' | 'project' | 'global', file = '/etc/servers.json') => ({
  layer,
  file,
  line: 1,
});

test.each([
  ['files', 'files'],
  ['my files', "'my files'"],
  ['$(touch x)', "'$(touch x)'"],
  ['`x`', "'`x`'"],
  ["it's", "'it'\\''s'"],
  ['-x', "-- '-x'"],
  ['--json', "-- '--json'"],
])('quotes the id %s as one shell word', (id, word) => {
  expect(trustToolsCommand({ id, origin: at('codex') })).toBe(`switchboard trust ${word}`);
  expect(testCommand({ id, origin: at('codex') })).toBe(`switchboard mcp test ${word}`);
});

test('repeats an explicit config path', () => {
  expect(trustToolsCommand({ id: 'a', origin: at('explicit', '/a $b/c.json') })).toBe(
    "switchboard trust --config '/a $b/c.json' a",
  );
  expect(testCommand({ id: 'a', origin: at('explicit', '/a $b/c.json') })).toBe(
    "switchboard mcp test --config '/a $b/c.json' a",
  );
});

test.each([
  ['files', ' --only files'],
  ['my.files-2', ' --only my.files-2'],
  ['a,b', ''],
  ['--x', ''],
  ['$(touch x)', ''],
])('warm starts only %s, or all servers if --only would misread the id', (id, only) => {
  expect(warmCommand({ id, origin: at('codex') })).toBe(`switchboard warm${only}`);
  expect(warmCommand({ id, origin: at('explicit', '/a $b/c.json') })).toBe(
    `switchboard warm --config '/a $b/c.json'${only}`,
  );
});

test('suggests the command that disables a server wherever it is defined', () => {
  const commands = (['project', 'global', 'mcp-json', 'codex'] as const).map((layer) =>
    disableCommand({ id: 'one', origin: at(layer) }),
  );
  expect(commands).toEqual([
    'switchboard disable one',
    'switchboard disable one --scope global',
    'switchboard disable one',
    'switchboard disable one',
  ]);
});

test('suggests mcp enable only for entries in our own files', () => {
  const commands = (['project', 'global', 'codex', 'explicit'] as const).map((layer) =>
    enableCommand({ id: 'my files', origin: at(layer) }),
  );
  expect(commands).toEqual([
    "switchboard mcp enable 'my files'",
    "switchboard mcp enable 'my files' --scope global",
    undefined,
    undefined,
  ]);
});

test('puts options before an id that starts with a dash', () => {
  const subject = { id: '-x', origin: at('global') };
  expect(enableCommand(subject)).toBe("switchboard mcp enable --scope global -- '-x'");
  const wider = "switchboard mcp login --scopes a -- '-x'";
  expect(loginCommand(subject)).toBe("switchboard mcp login -- '-x'");
  expect(addOption(loginCommand(subject), ' --scopes a')).toBe(wider);
  expect(loginCommand(subject, `it needs more. Run: ${wider}`)).toBe(wider);
  expect(commandFor('mcp tool', at('explicit', '/c.json'), '-x.y')).toBe(
    "switchboard mcp tool --config /c.json -- '-x.y'",
  );
});

test('does not mistake a quoted word for the end of options', () => {
  const usual = loginCommand({ id: "a -- '-b", origin: at('codex') });
  expect(addOption(usual, ' --wait')).toBe(`${usual} --wait`);
});

const USUAL = 'switchboard mcp login notes';

test.each([
  ['it needs more. Run: switchboard mcp login notes --scopes a:read,b', `${USUAL} --scopes a:read,b`],
  ["it needs more. Run: switchboard mcp login notes --scopes 'a.*,b'", `${USUAL} --scopes 'a.*,b'`],
  ['it needs you to sign in. Run: switchboard mcp login notes', USUAL],
  ['Run: switchboard mcp login other --scopes a', USUAL],
  ['Run: switchboard mcp login notes --scopes a; touch /tmp/x', USUAL],
  ['Run: switchboard mcp login notes --scopes $(id)', USUAL],
  ["Run: switchboard mcp login notes --scopes 'a' --callback-port 1", USUAL],
  ['Run: switchboard mcp login notes --scopes a\nid', USUAL],
  ['nothing of the kind', USUAL],
])('the login command after %j is %j', (refusal, command) => {
  expect(loginCommand({ id: 'notes', origin: at('global') }, refusal)).toBe(command);
});
