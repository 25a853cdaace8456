import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GLOBAL, ownConfig, serversIn, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { modeOf } from '../temporary-folder.ts';
import { verifies } from '../verifies.ts';
import {
  CURSOR,
  CURSOR_TEXT,
  ENTER,
  filesOf,
  JOURNAL,
  onTerminal,
  SECRET,
  WINDSURF,
  WINDSURF_TEXT,
  withTwoClients,
} from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const SET_UP = /Set up now\? \[Y\/n\] /;
const CHANGE = /Import 2 servers and connect Cursor and Windsurf\? \[Y\/n\/pick\/diff\] /;

describe('switchboard on a terminal without a config', () => {
  test('imports, connects, tests and calls with two keypresses, and says what to type next', async () => {
    const testbed = withTwoClients(newTestbed());
    const { status, shown } = await onTerminal(testbed, processes, {
      args: [],
      turns: [
        [SET_UP, ENTER],
        [CHANGE, ENTER],
      ],
    });
    expect(shown).toContain('Found 2 servers in Cursor and Windsurf. Nothing has been changed.');
    for (const line of [
      '✓ Imported 2 servers into ~/own/config.json. Stored 1 secret.',
      'Undo everything: switchboard setup --undo',
    ])
      expect(shown).toContain(line);
    expect(shown).toMatch(/✓ my-adder\s+3 tools, \d+ ms/);
    expect(shown).toContain('  1 Cursor    switchboard instead of "my adder" and reports\n');
    expect(shown).toMatch(/✓ Cursor {4}sees 2 servers, with 4 tools \(about \d+ tokens\)\./);
    expect(shown).toMatch(/✓ Windsurf {2}sees 1 server, with 3 tools \(about \d+ tokens\)\./);
    expect(shown).toMatch(/All 2 servers work\. Restart Cursor and Windsurf, then type in Cursor:\n/);
    expect(shown).not.toContain(SECRET);
    expect(status).toBe(0);
    expect(Object.keys(serversIn(testbed, GLOBAL))).toEqual(['my-adder', 'reports']);
    expect(testbed.read(WINDSURF)).toContain('"disabled": true');
    expect([JOURNAL, 'own/secrets.json'].map((name) => modeOf(testbed.path(name)))).toEqual(['600', '600']);
    expect(testbed.read(JOURNAL)).not.toContain(SECRET);
  });

  verifies('setup:consent:nothing-before', 'a refusal changes nothing', async () => {
    const testbed = withTwoClients(newTestbed());
    const before = filesOf(testbed);
    const { status, shown } = await onTerminal(testbed, processes, { args: [], turns: [[SET_UP, `n${ENTER}`]] });
    expect(shown.replaceAll('\r', '')).toContain(
      '\nNothing was changed.\nTo look at your servers, run: switchboard list\nTo set up later, run: switchboard setup\n',
    );
    expect(shown).not.toContain('✗');
    expect([status, filesOf(testbed)]).toEqual([9, before]);
  });

  test('Ctrl-C at the second question changes nothing', async () => {
    const testbed = withTwoClients(newTestbed());
    const before = filesOf(testbed);
    const { status, shown } = await onTerminal(testbed, processes, {
      args: [],
      turns: [
        [SET_UP, ENTER],
        [CHANGE, '\u0003'],
      ],
    });
    expect(shown).toContain('Setup was interrupted. Nothing was changed.');
    expect([status, filesOf(testbed)]).toEqual([130, before]);
  });

  test('the user sees the changes, picks one client, and the others stay as they are', async () => {
    const testbed = withTwoClients(newTestbed());
    const { status, shown } = await onTerminal(testbed, processes, {
      args: [],
      turns: [
        [SET_UP, ENTER],
        [CHANGE, `diff${ENTER}`],
        [CHANGE, `7${ENTER}`],
        [CHANGE, `pick${ENTER}`],
        [/separated by spaces \(Enter alone: only import\): /, `2${ENTER}`],
      ],
    });
    expect(shown).toContain(`+++ ${testbed.path(CURSOR)}`);
    expect(shown).toContain('Choose from 1 (cursor), 2 (windsurf).');
    expect(status).toBe(0);
    expect([testbed.read(CURSOR) === CURSOR_TEXT, testbed.read(WINDSURF) === WINDSURF_TEXT]).toEqual([true, false]);
  });

  test('shows the status once there is a config', async () => {
    const testbed = withTwoClients(newTestbed());
    testbed.write(GLOBAL, ownConfig({}));
    const { status, shown } = await onTerminal(testbed, processes, { args: [], turns: [] });
    expect([status, shown]).toEqual([0, expect.stringContaining('no MCP servers configured')]);
  });
});

describe('switchboard setup without a terminal', () => {
  test('asks for --yes and changes nothing', async () => {
    const testbed = withTwoClients(newTestbed());
    const before = filesOf(testbed);
    const { status, stdout, stderr } = await testbed.run(['setup']);
    expect(stdout).toContain(
      'Found 2 servers in Cursor and Windsurf. Nothing has been changed.\n  my-adder  Cursor, Windsurf\n  reports   Cursor\n',
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining('run: switchboard setup --yes')]);
    expect(filesOf(testbed)).toEqual(before);
  });

  verifies('setup:dry-run:nothing', '--dry-run shows every change, writes nothing and starts nothing', async () => {
    const testbed = withTwoClients(newTestbed());
    const before = filesOf(testbed);
    const text = await testbed.run(['setup', '--dry-run']);
    expect(text).toMatchObject({ status: 0, stderr: '' });
    expect(text.stdout).toContain(`+++ ${testbed.path(WINDSURF)}`);
    expect(text.stdout).not.toContain(SECRET);
    const json = await testbed.run(['setup', '--dry-run', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      v: 1,
      dryRun: true,
      servers: [
        { id: 'my-adder', action: 'added' },
        { id: 'reports', action: 'added' },
      ],
      clients: [
        { client: 'cursor', status: 'planned', disabled: ['my adder', 'reports'] },
        { client: 'windsurf', status: 'planned', disabled: ['adder'] },
      ],
    });
    expect(json.stdout).not.toContain(SECRET);
    expect(filesOf(testbed)).toEqual(before);
  });

  test('--yes --json sets up everything and prints one document', async () => {
    const testbed = withTwoClients(newTestbed());
    const { status, stdout, stderr } = await testbed.run(['setup', '--yes', '--json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      clients: [
        { client: 'cursor', status: 'connected', servers: ['my-adder', 'reports'] },
        { client: 'windsurf', status: 'connected', servers: ['my-adder'] },
      ],
      tests: [
        { id: 'my-adder', ok: true },
        { id: 'reports', ok: true },
      ],
      call: { kind: 'none', reason: 'no tool is marked as read-only (readOnlyHint) and works without arguments' },
      undo: 'switchboard setup --undo',
    });
    const again = await testbed.run(['setup', '--yes']);
    expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('Everything is set up.') });
  });

  verifies(
    'setup:faults:others-continue',
    'a broken file and a read-only file do not stop the others, and each is named with its next step',
    async () => {
      const testbed = withTwoClients(newTestbed());
      testbed.write('.gemini/settings.json', '{ "mcpServers": ');
      chmodSync(testbed.path(WINDSURF), 0o400);
      const { status, stdout } = await testbed.run(['setup', '--yes']);
      expect(stdout).toMatch(/✗ ~\/\.gemini\/settings\.json:1: .* Next: fix it, then run switchboard setup/);
      expect(stdout).toMatch(/✗ Windsurf {2}was not connected: .*read-only.* Next: switchboard connect windsurf/);
      expect(stdout).toContain('✓ Cursor    sees 2 servers');
      expect([status, testbed.read(WINDSURF)]).toEqual([7, WINDSURF_TEXT]);
    },
  );

  test('says what to do if no client has a server', async () => {
    const testbed = newTestbed();
    const { status, stdout } = await testbed.run(['setup', '--yes']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('Add a server:')]);
    expect(filesOf(testbed)).toEqual({});
  });

  test.each([
    [['--json'], '--json cannot ask questions'],
    [['cursr'], 'Did you mean cursor?'],
    [['--undone'], 'Did you mean --undo?'],
  ])('refuses %j', async (args, reason) => {
    const testbed = withTwoClients(newTestbed());
    const { status, stderr } = await testbed.run(['setup', ...args]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});
