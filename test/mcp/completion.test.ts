import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { storeNames } from '../../src/cli/completion/store-names.ts';
import { trackProcesses } from '../processes.ts';
import { isInstalled, type Shell, ShellTestbed } from './completion-shells.ts';
import { GLOBAL, ownConfig, PROJECT, type Testbed, useTestbeds } from './testbed.ts';

// Some of them run more than a dozen commands in sequence.
vi.setConfig({ testTimeout: 180_000 });

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const program = { command: 'true' };
const entry = { transport: 'stdio', ...program };
const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  'a\ntouch pwned',
  '\u001b[31mred',
  'a;touch pwned',
  '--config',
  'a\u202eb',
  '!!',
];

/** Servers from every file, some with names that a shell must not interpret. The tools of two are cached. */
function withNames(testbed: Testbed): Testbed {
  const hostile = Object.fromEntries(HOSTILE.map((name) => [name, program]));
  testbed.write(PROJECT, ownConfig({ github: entry, gitlab: entry }));
  testbed.write('project/.mcp.json', {
    mcpServers: {
      'my server': program,
      'a.b': program,
      "it's": program,
      'ns:one': program,
      'me@home': program,
      ...hostile,
    },
  });
  testbed.write(GLOBAL, ownConfig({ far: { transport: 'http', url: 'http://127.0.0.1:9/mcp' } }));
  const testEnvironment = { cwd: testbed.folder, home: testbed.folder, platform: process.platform };
  const keep = (id: string, ...tools: readonly string[]) => {
    const inputSchema = {
      properties: { 'the title': { type: 'string' }, draft: { type: 'boolean' } },
      required: ['draft'],
    };
    const definitions = tools.map((name) => ({ key: name, json: JSON.stringify({ name, inputSchema }) }));
    storeNames({ ...testEnvironment, env: { SWITCHBOARD_HOME: testbed.path('own') } }, [{ id, tools: definitions }]);
  };
  keep('github', 'create', 'list', ...HOSTILE);
  keep('my server', 'do it');
  return testbed;
}

const ask = (testbed: Testbed, ...words: readonly string[]) =>
  testbed.run(['completion', '--words', String(words.length), '--', 'switchboard', ...words]);

describe('a completion request', () => {
  const silence = { status: 0, stdout: '', stderr: '' };

  test('never gets an error', async () => {
    const testbed = newTestbed();
    const questions = [
      ['--words'],
      ['--words', '1'],
      ['--words', '1', '--'],
      ['--words', 'x', '--', 'switchboard', 'm'],
      ['--words', '9', '--', 'switchboard', 'm'],
      ['--words', '-1', '--', 'switchboard', 'm'],
      ['--words', '0', '--', 'switchboard'],
      ['--words', '2', '--', 'switchboard', 'nosuch', ''],
      ['--words', '3', '--', 'switchboard', 'mcp', 'call', '\u001b[31m'],
      ['--line'],
      ['--line', '', '--'],
      ['--line', '=:', '--', 'switchboard mcp get "$(touch pwned)'],
      ['--line', '=:', '--', 'switchboard mcp list | switchboard '],
    ];
    for (const question of questions) expect(await testbed.run(['completion', ...question])).toEqual(silence);
    expect(readdirSync(testbed.folder)).toEqual(['project']);
  });

  test('contains no servers without a config, or with a broken one', async () => {
    const testbed = newTestbed();
    expect(await ask(testbed, 'mcp', 'get', 'g')).toEqual(silence);
    testbed.write(PROJECT, '{ "mcp": ');
    testbed.write(GLOBAL, '\u0000');
    testbed.write('own/names.json', '{"version":1,"servers":');
    expect(await ask(testbed, 'mcp', 'get', 'g')).toEqual(silence);
    expect(await ask(testbed, 'mcp', 'call', 'g')).toEqual(silence);
    expect(await ask(testbed, 'mcp', 'rem')).toEqual({
      ...silence,
      stdout: 'remove\tremove a server from the config\n',
    });
    expect(testbed.read('own/names.json')).toBe('{"version":1,"servers":');
  });

  test('contains the configured servers, trusted or not, and none with a hostile name', async () => {
    const testbed = withNames(newTestbed());
    const { stdout } = await ask(testbed, 'mcp', 'get', '');
    expect(stdout.trimEnd().split('\n')).toEqual([
      'github',
      'gitlab',
      'my server',
      'a.b',
      "it's",
      'ns:one',
      'me@home',
      'far',
    ]);
    expect((await ask(testbed, 'mcp', 'call', 'github.')).stdout).toBe(
      'github.create\tdraft, the title\ngithub.list\tdraft, the title\n',
    );
    expect((await ask(testbed, 'mcp', 'call', 'github.create', '')).stdout).toBe(
      'draft=\tboolean\nthe title=\tstring\n',
    );
  });

  test('uses the file named on the line', async () => {
    const testbed = withNames(newTestbed());
    const file = testbed.write('other.json', { mcpServers: { other: program } });
    expect((await ask(testbed, 'mcp', 'get', '--config', file, '')).stdout).toBe('other\n');
  });
});

test('an unknown shell is a usage error', async () => {
  const testbed = newTestbed();
  for (const args of [[], ['powershell'], ['bash', 'zsh'], ['constructor']]) {
    const ran = await testbed.run(['completion', ...args]);
    expect(ran).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('switchboard completion bash|zsh|fish'),
    });
  }
});

test.each(['bash', 'zsh', 'fish'])('the script for %s starts with how to install it', async (shell) => {
  const { status, stdout, stderr } = await newTestbed().run(['completion', shell]);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.split('\n').slice(0, 6).join('\n')).toContain(`switchboard completion ${shell}`);
});

describe.each<Shell>(['bash', 'zsh', 'fish'])('%s', (shell) => {
  test.skipIf(!isInstalled(shell))(`can parse its script (skipped where ${shell} is not installed)`, async () => {
    const testbed = withNames(newTestbed());
    testbed.write('script', (await testbed.run(['completion', shell])).stdout);
    const { stdout, stderr } = await new ShellTestbed(testbed, processes).run(shell, 'source ../script; echo done');
    expect([stdout, stderr]).toEqual(['done\n', '']);
  });
});

describe.skipIf(!isInstalled('bash'))('bash (skipped where it is not installed)', () => {
  test('gets what to insert', async () => {
    const testbed = withNames(newTestbed());
    const shell = new ShellTestbed(testbed, processes);
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ['switchboard mcp rem', ['remove']],
      ['switchboard mcp get gi', ['github', 'gitlab']],
      ['switchboard mcp get m', ['my\\ server', 'me@home']],
      ["switchboard mcp get 'm", ['my server', 'me@home']],
      ['switchboard mcp get it', ["it\\'s"]],
      ["switchboard mcp get 'it", []],
      ['switchboard mcp get ns:', ['one']],
      ['switchboard mcp list --scope=g', ['global']],
      ['switchboard mcp list --scope g', ['global']],
      ['switchboard mcp call github.', ['github.create', 'github.list']],
      ['switchboard mcp call github.create ', ['draft=', 'the\\ title=']],
      ['switchboard mcp call github.create draft=', ['true', 'false']],
      ['switchboard mcp get $(touch pwned)', []],
      ['switchboard mcp call `touch pwned`', []],
    ];
    for (const [line, answers] of rows) expect([line, await shell.bashAnswers(line)]).toEqual([line, answers]);
    expect(existsSync(testbed.path('project/pwned'))).toBe(false);
  });

  test('completes a typed line on a terminal, whatever quotes are used', async () => {
    const testbed = withNames(newTestbed());
    testbed.write('project/arguments.json', {});
    const rows: readonly (readonly [string, string])[] = [
      ['mcp get my', '<mcp><get><my server>'],
      ["mcp get 'my", '<mcp><get><my server>'],
      ['mcp get "it', "<mcp><get><it's>"],
      ['mcp get ns:', '<mcp><get><ns:one>'],
      ['mcp get me@', '<mcp><get><me@home>'],
      ['mcp list --scope=gl', '<mcp><list><--scope=global>'],
      ['mcp call my', '<mcp><call><my server.>'],
      ['mcp call my\\ server.', '<mcp><call><my server.do it>'],
      ["mcp call 'my server'.", '<mcp><call><my server.do it>'],
      ['mcp call github.create the', '<mcp><call><github.create><the title=>'],
      ['mcp call github.create draft=t', '<mcp><call><github.create><draft=true>'],
      ['mcp get --config argu', '<mcp><get><--config><arguments.json>'],
      ['mcp call github.create --args @argu', '<mcp><call><github.create><--args><@arguments.json>'],
      ['mcp get nosuch', '<mcp><get><nosuch>'],
    ];
    const typed = await new ShellTestbed(testbed, processes).typeInBash(rows.map(([line]) => line));
    expect(typed).toEqual(rows.map(([, words]) => words));
    expect(existsSync(testbed.path('project/pwned'))).toBe(false);
  });
});

test.skipIf(!isInstalled('fish'))('fish offers our completions (skipped where it is not installed)', async () => {
  const testbed = withNames(newTestbed());
  const script = `switchboard completion fish | source; complete -C 'switchboard mcp get gi'; complete -C 'switchboard mcp rem'`;
  const { stdout, stderr } = await new ShellTestbed(testbed, processes).run('fish', script);
  expect([stdout, stderr]).toEqual(['github\ngitlab\nremove\tremove a server from the config\n', '']);
});

test.skipIf(!isInstalled('zsh'))('zsh offers our completions (skipped where it is not installed)', async () => {
  const testbed = withNames(newTestbed());
  const script = `
    source <(switchboard completion zsh)
    compadd() { local name=$@[-1]; print -rl -- "\${(@P)name}"; }
    words=(switchboard mcp get gi) CURRENT=4 PREFIX=gi; _switchboard
    words=(switchboard mcp get "'my s") CURRENT=4 PREFIX='my s'; _switchboard
    words=(switchboard mcp call git) CURRENT=4 PREFIX=git; _switchboard`;
  const { stdout, stderr } = await new ShellTestbed(testbed, processes).run('zsh', script);
  expect([stdout, stderr]).toEqual(['github\ngitlab\nmy server\ngithub.\ngitlab.\n', '']);
});
