import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { typeOnTerminal } from './call-testbed.ts';
import { expectHelp } from './expect-help.ts';
import { GLOBAL, ownConfig, useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

describe('help', () => {
  // Every command: help-every-command.judges.test.ts.
  test.each([[['status']], [['mcp', 'add']], [['codex', 'run']], [['codex', 'mcp-server']]])(
    'exists for %j, as help <command> and with -h',
    async (words) => expectHelp(newTestbed(), words),
  );

  test('--version and -v work after every command, but not inside the command of a server', async () => {
    const testbed = newTestbed();
    const { stdout: version } = await testbed.run(['-v']);
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const args of [
      ['list', '-v'],
      ['codex', 'run', '--version'],
      ['mcp', '--version'],
    ])
      expect(await testbed.run(args)).toEqual({ status: 0, stdout: version, stderr: '' });
    expect((await testbed.run(['add', 'a', '--dry-run', '--', 'node', '-v'])).stdout).toContain('"-v"');
  });

  test.each([
    [['stauts'], 'Did you mean switchboard status?'],
    [['logn'], 'Did you mean switchboard login?'],
    [['logot'], 'Did you mean switchboard logout?'],
    [['resource'], 'Did you mean switchboard mcp resources?'],
    [['sessions'], 'Did you mean switchboard codex sessions?'],
    [['gatway'], 'Did you mean switchboard gateway?'],
    [['codex', 'rum'], 'Did you mean switchboard codex run?'],
    [['help', 'codex', 'rum'], 'Did you mean switchboard codex run?'],
    [['mcp', 'renam'], 'Did you mean switchboard mcp rename?'],
  ])('%j suggests the command to type, with its parent', async (args, message) => {
    const { status, stderr } = await newTestbed().run(args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('ps is status', async () => {
    const testbed = newTestbed();
    const [ps, mcpPs, status] = await Promise.all([['ps'], ['mcp', 'ps'], ['status']].map((args) => testbed.run(args)));
    expect([ps, mcpPs]).toEqual([status, status]);
  });
});

describe('colours', () => {
  const ESCAPE = '\u001b[';
  const testbedWithServers = () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ one: fixture('well-behaved'), off: { command: 'x', enabled: false } }));
    return testbed;
  };

  test('are shown on a terminal, for states, errors and headings', async () => {
    const testbed = testbedWithServers();
    const list = await typeOnTerminal(testbed, processes, { args: ['list'] });
    expect(list.shown).toMatch(new RegExp(`${ESCAPE.replace('[', '\\[')}32myes *${ESCAPE.replace('[', '\\[')}39m`));
    const failed = await typeOnTerminal(testbed, processes, { args: ['get', 'oen'] });
    expect(failed.shown).toContain(`${ESCAPE}31m✗${ESCAPE}39m There is no server oen.`);
    const tested = await typeOnTerminal(testbed, processes, { args: ['test', 'one'] });
    expect(tested.shown).toContain(`${ESCAPE}32m✓${ESCAPE}39m initialize`);
    const help = await typeOnTerminal(testbed, processes, { args: ['set', '-h'] });
    expect(help.shown).toContain(`${ESCAPE}1mUsage:${ESCAPE}22m`);
  });

  test('are not written into a pipe, unless FORCE_COLOR asks for them', async () => {
    const testbed = testbedWithServers();
    for (const args of [['list'], ['status'], ['test', 'one'], ['--help'], ['get', 'oen']]) {
      const { stdout, stderr } = await testbed.run(args);
      expect(stdout + stderr).not.toContain(ESCAPE);
    }
    const forced = await testbed.run(['list'], { env: { FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain(`${ESCAPE}32myes`);
    const ascii = await testbed.run(['test', 'one'], { env: { LC_ALL: 'C' } });
    expect(ascii.stdout).toContain('  + initialize');
  });
});
