import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { switchboard } from '../interop/programs.ts';
import { GLOBAL, ownConfig, serversIn, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import {
  CURSOR,
  CURSOR_TEXT,
  ENTER,
  filesOf,
  JOURNAL,
  onTerminal,
  WINDSURF,
  WINDSURF_TEXT,
  withTwoClients,
} from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
/** Compiled code and cached lists, which contain nothing of the user's. */
const CACHES = /^own\/(?:catalogs|lists|names|code)/;

function ownedFiles(testbed: Testbed): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(filesOf(testbed)).filter(([name]) => !CACHES.test(name)));
}

async function setUp(testbed: Testbed): Promise<void> {
  expect(await testbed.run(['setup', '--yes'])).toMatchObject({ status: 0, stderr: '' });
}

const undo = (testbed: Testbed) => testbed.run(['setup', '--undo', '--yes']);

describe('switchboard setup --undo', () => {
  verifies('setup:undo:bytes', 'restores every file, byte for byte', async () => {
    const testbed = withTwoClients(newTestbed());
    const before = ownedFiles(testbed);
    await setUp(testbed);
    const shown = await testbed.run(['setup', '--undo', '--dry-run']);
    expect(shown.stdout).toContain('disconnects Cursor and Windsurf');
    expect(testbed.exists(JOURNAL)).toBe(true);
    const { status, stdout, stderr } = await undo(testbed);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('Everything is as it was before setup.');
    expect(ownedFiles(testbed)).toEqual(before);
    const again = await undo(testbed);
    expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('There is nothing to undo') });
  });

  test('restores an earlier config with its comments, earlier secrets and earlier connections', async () => {
    const testbed = withTwoClients(newTestbed());
    const config = `{ "version": 1, // mine\n  "mcp": { "servers": { "own": ${JSON.stringify(fixture('has-names', 'x'))} } } }\n`;
    testbed.write(GLOBAL, config);
    await testbed.run(['secret', 'set', 'MINE'], { stdin: 'value\n' });
    await testbed.run(['connect', 'windsurf', '--yes']);
    const before = ownedFiles(testbed);
    await setUp(testbed);
    expect(testbed.read(GLOBAL)).toMatch(/mine.+"own".+"my-adder".+"reports"/s);
    await undo(testbed);
    expect(ownedFiles(testbed)).toEqual(before);
  });

  verifies(
    'setup:undo:later-edits',
    'keeps every later change of the config, the secrets and the clients',
    async () => {
      const testbed = withTwoClients(newTestbed());
      await setUp(testbed);
      await testbed.run(['add', 'later', '--scope', 'global', '--', 'true']);
      await testbed.run(['set', 'reports', 'request_timeout_ms=5000']);
      await testbed.run(['share', 'later', 'cursor']);
      testbed.write(WINDSURF, { ...Object(testbed.json(WINDSURF)), theme: 'dark' });
      const { status, stdout } = await undo(testbed);
      expect(status).toBe(0);
      expect(stdout).toContain(
        '⚠ Kept the server reports, because it has changed since setup. To remove it, run: switchboard remove reports --scope global',
      );
      expect(stdout).toContain(
        '⚠ Kept the secret IMPORTED_REPORTS_SERVICE_TOKEN, because a server that stays needs it. To remove it, run: switchboard secret remove IMPORTED_REPORTS_SERVICE_TOKEN',
      );
      expect(stdout).toContain('Everything is as it was before setup, except for the 2 things that were kept');
      expect(Object.keys(serversIn(testbed, GLOBAL))).toEqual(['reports', 'later']);
      // The kept server still needs it.
      expect(Object.keys(Object(testbed.json('own/secrets.json')).secrets)).toEqual(['IMPORTED_REPORTS_SERVICE_TOKEN']);
      expect(testbed.json('own/clients.json')).toMatchObject({
        clients: { cursor: { imported: [], shared: ['later'] } },
      });
      expect(testbed.json(WINDSURF)).toEqual({ ...JSON.parse(WINDSURF_TEXT), theme: 'dark' });
      expect(testbed.read(CURSOR)).toBe(CURSOR_TEXT);
    },
  );

  test('restores a client that was connected later, and removes servers that were only switched off', async () => {
    const testbed = withTwoClients(newTestbed());
    expect((await testbed.run(['setup', 'windsurf', '--yes'])).status).toBe(0);
    expect((await testbed.run(['connect', 'cursor', '--all-servers', '--yes'])).status).toBe(0);
    await testbed.run(['disable', 'reports']);
    const { status, stdout } = await undo(testbed);
    expect(stdout).toContain('  disconnects Cursor, connected later, so that its own servers work again\n');
    expect([status, testbed.read(CURSOR), testbed.read(WINDSURF)]).toEqual([0, CURSOR_TEXT, WINDSURF_TEXT]);
    expect([testbed.exists(GLOBAL), stdout.includes('Kept')]).toEqual([false, false]);
  });

  test('a client that cannot be restored does not stop the others, and a second undo finishes', async () => {
    const testbed = withTwoClients(newTestbed());
    await setUp(testbed);
    const connected = testbed.read(WINDSURF);
    testbed.write(WINDSURF, '{ broken');
    const { status, stdout, stderr } = await undo(testbed);
    expect([status, stderr]).toEqual([7, expect.stringContaining('1 step could not be undone')]);
    expect(stdout).toMatch(/✗ Windsurf: .*mcp_config\.json:1: /);
    expect([testbed.read(CURSOR), testbed.exists(GLOBAL)]).toEqual([CURSOR_TEXT, false]);
    testbed.write(WINDSURF, connected);
    expect((await undo(testbed)).status).toBe(0);
    expect([testbed.read(WINDSURF), testbed.exists(JOURNAL)]).toEqual([WINDSURF_TEXT, false]);
  });

  test.each(['hangs-at-initialize', 'hangs-at-list'] as const)(
    'after an interrupted test of a server that %s, restores everything',
    async (hangs) => {
      const testbed = withTwoClients(newTestbed());
      testbed.write('.gemini/settings.json', { mcpServers: { hangs: fixture(hangs) } });
      const before = ownedFiles(testbed);
      const { status, shown } = await onTerminal(testbed, processes, {
        args: ['setup'],
        turns: [
          [/Set up now\? /, ENTER],
          [/Import 3 servers and connect all 3 clients\? /, ENTER],
          [/2\/3 hangs/, '\u0003'],
        ],
      });
      expect(shown).toContain(
        'Setup was interrupted. The steps shown above are done. To reverse them, run: switchboard setup --undo',
      );
      expect(status).toBe(130);
      await undo(testbed);
      expect(ownedFiles(testbed)).toEqual(before);
    },
  );

  test.each(['Imported 2 servers', '✓ Cursor', 'Testing 2 servers'])(
    'after a setup that was killed at "%s", restores everything',
    async (moment) => {
      const testbed = withTwoClients(newTestbed());
      const before = ownedFiles(testbed);
      const { command, args } = switchboard('setup', '--yes');
      const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
      const started = spawn(command, args, { cwd: testbed.path('project'), env, stdio: ['ignore', 'pipe', 'ignore'] });
      let shown = '';
      started.stdout.setEncoding('utf8').on('data', (piece: string) => {
        shown += piece;
        if (shown.includes(moment)) started.kill('SIGKILL');
      });
      await once(started, 'close');
      expect(started.signalCode).toBe('SIGKILL');
      expect(await undo(testbed)).toMatchObject({ status: 0, stderr: '' });
      expect(ownedFiles(testbed)).toEqual(before);
    },
  );

  test('asks on a terminal, and needs --yes without one', async () => {
    const testbed = withTwoClients(newTestbed());
    await setUp(testbed);
    const piped = await testbed.run(['setup', '--undo']);
    expect([piped.status, piped.stderr]).toEqual([2, expect.stringContaining('switchboard setup --undo --yes')]);
    const asked = await onTerminal(testbed, processes, {
      args: ['setup', '--undo'],
      turns: [[/Undo now\? /, `n${ENTER}`]],
    });
    expect([asked.status, testbed.exists(JOURNAL)]).toEqual([9, true]);
  });

  test('a damaged record is named, and nothing is changed', async () => {
    const testbed = withTwoClients(newTestbed());
    await setUp(testbed);
    testbed.write(JOURNAL, '{ "version": 1, "connected": ["nothing"] }');
    const before = ownedFiles(testbed);
    const { status, stderr } = await undo(testbed);
    expect([status, stderr]).toEqual([7, expect.stringContaining('setup.json')]);
    expect(ownedFiles(testbed)).toEqual(before);
  });

  test('uninstall removes the record of setup, too', async () => {
    const testbed = withTwoClients(newTestbed());
    const before = filesOf(testbed);
    await setUp(testbed);
    await testbed.run(['uninstall', '--config', '--yes']);
    rmSync(testbed.path('own/code'), { recursive: true, force: true });
    expect(filesOf(testbed)).toEqual(before);
  });
});

test('an earlier config without servers stays', async () => {
  const testbed = withTwoClients(newTestbed());
  testbed.write(GLOBAL, ownConfig({}));
  const before = testbed.read(GLOBAL);
  await setUp(testbed);
  await undo(testbed);
  expect(testbed.read(GLOBAL)).toBe(before);
});
