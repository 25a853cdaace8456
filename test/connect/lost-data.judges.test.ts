import { renameSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runDoctor } from '../doctor/doctor-home.ts';
import { type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { modeOf } from '../temporary-folder.ts';
import { readContent } from './client-contract.ts';

const newTestbed = useTestbeds(trackProcesses());
const FILE = '.cursor/mcp.json';
const BACKUP = `${FILE}.switchboard-backup`;
const SERVERS = { one: { command: 'node', args: ['one.js'] }, two: { command: 'node', args: ['two.js'] } };
const TEXT = `${JSON.stringify({ mcpServers: SERVERS }, null, 2)}\n`;

/** Opens a home with a connected Cursor whose servers are imported and turned off. */
async function open(): Promise<Testbed> {
  const testbed = newTestbed();
  testbed.write(FILE, TEXT);
  await testbed.run(['import', '--all']);
  expect(await testbed.run(['connect', 'cursor', '--yes'])).toMatchObject({ status: 0, stderr: '' });
  return testbed;
}

describe('a data folder that was moved', () => {
  test('is used again from its new place: connect writes the new path, and disconnect restores every byte', async () => {
    const testbed = await open();
    renameSync(testbed.path('own'), testbed.path('moved'));
    const env = { SWITCHBOARD_HOME: testbed.path('moved') };
    expect(await testbed.run(['connect', 'cursor', '--yes'], { env })).toMatchObject({ status: 0, stderr: '' });
    const args = ['gateway', '--client', 'cursor'];
    const switchboard = { command: testbed.path('moved/bin/switchboard'), args };
    expect(readContent(testbed, FILE)).toEqual({ mcpServers: { switchboard } });
    expect(await testbed.run(['disconnect', '--yes'], { env })).toMatchObject({ status: 0, stderr: '' });
    expect([testbed.read(FILE), testbed.exists(BACKUP)]).toEqual([TEXT, false]);
  });

  test('can still undo, also after disconnect removed our entry without any record', async () => {
    const testbed = await open();
    renameSync(testbed.path('own'), testbed.path('moved'));
    rmSync(testbed.path(BACKUP));
    const { status, stdout, stderr } = await testbed.run(['disconnect', '--yes']);
    expect(status).toBe(0);
    expect(stderr).toContain('has no record of this connection. Servers of Cursor that connect turned off stay off.');
    expect(stdout).toContain(`Disconnected Cursor: removed Switchboard's entries from ${testbed.path(FILE)}.`);
    expect(readContent(testbed, FILE)).toEqual({ mcpServers: {} });
    const env = { SWITCHBOARD_HOME: testbed.path('moved') };
    expect(await testbed.run(['disconnect', '--yes'], { env })).toMatchObject({ status: 0, stderr: '' });
    expect(readContent(testbed, FILE)).toEqual({ mcpServers: SERVERS });
  });
});

describe('a data folder that was deleted', () => {
  test('loses no server: disconnect restores them from the backup beside the file', async () => {
    const testbed = await open();
    expect(modeOf(testbed.path(BACKUP))).toBe('600');
    rmSync(testbed.path('own'), { recursive: true });
    const { stdout } = await testbed.run(['setup', '--yes']);
    expect(stdout).toContain(
      'Cursor was connected, but the record of it is lost. To get its 2 servers back, run: switchboard disconnect cursor',
    );
    const { problems } = await runDoctor(testbed);
    expect(problems.find(({ check }) => check === 'client.record')).toMatchObject({
      detail: ['Servers that were turned off: one, two'],
      fix: 'switchboard disconnect cursor',
    });
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect([readContent(testbed, FILE), testbed.exists(BACKUP)]).toEqual([{ mcpServers: SERVERS }, false]);
  });

  test('is created again by connect, which replaces its own entry and can still undo', async () => {
    const testbed = await open();
    rmSync(testbed.path('own'), { recursive: true });
    expect(await testbed.run(['connect', 'cursor', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(Object.keys(Object(readContent(testbed, FILE)).mcpServers)).toEqual(['switchboard']);
    expect(testbed.exists('own/bin/switchboard')).toBe(true);
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(readContent(testbed, FILE)).toEqual({ mcpServers: SERVERS });
  });

  test('with a damaged backup stops connect before it writes', async () => {
    const testbed = await open();
    rmSync(testbed.path('own'), { recursive: true });
    testbed.write(BACKUP, '{');
    const before = testbed.read(FILE);
    const { status, stderr } = await testbed.run(['connect', 'cursor', '--yes']);
    expect([status, stderr]).toEqual([7, expect.stringContaining('mcp.json.switchboard-backup')]);
    expect([testbed.read(FILE), testbed.read(BACKUP)]).toEqual([before, '{']);
  });

  test('except for its backups: disconnect undoes each edit', async () => {
    const testbed = await open();
    rmSync(testbed.path('own/backups'), { recursive: true });
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(readContent(testbed, FILE)).toEqual({ mcpServers: SERVERS });
  });

  test('leaves a launcher that is missing, which connect writes again', async () => {
    const testbed = await open();
    rmSync(testbed.path('own/bin'), { recursive: true });
    rmSync(testbed.path('own/app'), { recursive: true });
    expect((await testbed.run(['connect', 'cursor', '--yes'])).stdout).toContain('is already connected');
    expect(testbed.exists('own/bin/switchboard')).toBe(true);
  });

  test('with the file of the client: disconnect reports it, and forgets the connection', async () => {
    const testbed = await open();
    rmSync(testbed.path(FILE));
    const { status, stdout } = await testbed.run(['disconnect', '--yes']);
    expect([status, stdout]).toEqual([0, `Disconnected Cursor: ${testbed.path(FILE)} no longer exists.\n`]);
    expect(testbed.json('own/connections.json')).toEqual({ version: 1, connections: [] });
  });
});

describe('a damaged record', () => {
  test.each(['{', '{"version":2,"connections":[]}', '{"version":1}', '{"version":1,"connections":[{"client":"x"}]}'])(
    '%s stops connect, disconnect and uninstall before they write',
    async (content) => {
      const testbed = await open();
      testbed.write('own/connections.json', content);
      const before = testbed.read(FILE);
      for (const command of ['connect', 'disconnect', 'uninstall']) {
        const { status, stderr } = await testbed.run([command, '--yes']);
        expect([command, status]).toEqual([command, 7]);
        expect(stderr).toContain('connections.json');
      }
      expect([testbed.read(FILE), testbed.read('own/connections.json')]).toEqual([before, content]);
    },
  );
});
