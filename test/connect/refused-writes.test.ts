import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { switchboard } from '../interop/programs.ts';
import { GLOBAL, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const CURSOR = '.cursor/mcp.json';
const WINDSURF = '.codeium/windsurf/mcp_config.json';
const SERVER = { command: 'node', args: ['a.js'], env: { API_TOKEN: 'write-s3cret' } };
/** Larger than the limit below. */
const LARGE = `${JSON.stringify({ mcpServers: { a: SERVER }, padding: 'x'.repeat(200_000) }, null, 2)}\n`;

/** Lets every write fail that makes a file larger than 64 KiB, as on a full disk. No special rights are needed. */
const FULL_DISK = ['sh', '-c', 'ulimit -f 64 && exec "$@"', 'sh'];

function namesBelow(testbed: Testbed, folder: string): readonly string[] {
  return readdirSync(testbed.path(folder), { recursive: true, encoding: 'utf8' }).sort();
}

describe('on a full disk', () => {
  test('connect changes nothing if the launcher does not fit', async () => {
    const testbed = newTestbed();
    testbed.write(CURSOR, LARGE);
    const { status, stderr } = await testbed.run(['connect', 'cursor', '--yes'], { behind: FULL_DISK });
    expect([status, stderr]).toEqual([7, expect.stringContaining('Free up disk space')]);
    expect([testbed.read(CURSOR), namesBelow(testbed, '.cursor')]).toEqual([LARGE, ['mcp.json']]);
    expect(namesBelow(testbed, 'own')).toEqual(['app']);
  });

  verifies('connect:disk:full', 'connect changes and records nothing if the file does not fit', async () => {
    const testbed = newTestbed();
    testbed.write(CURSOR, LARGE);
    await testbed.run(['connect', 'windsurf', '--yes']);
    const before = namesBelow(testbed, 'own');
    const { status, stderr } = await testbed.run(['connect', 'cursor', '--yes'], { behind: FULL_DISK });
    expect([status, stderr]).toEqual([7, expect.stringContaining('Free up disk space')]);
    expect([testbed.read(CURSOR), namesBelow(testbed, '.cursor')]).toEqual([LARGE, ['mcp.json']]);
    expect(namesBelow(testbed, 'own')).toEqual([...before, 'backups'].sort());
    expect(testbed.json('own/connections.json')).toMatchObject({ connections: [{ client: 'windsurf' }] });
  });

  test('disconnect fails as a whole, and works when there is space', async () => {
    const testbed = newTestbed();
    testbed.write(CURSOR, LARGE);
    await testbed.run(['connect', 'cursor', '--yes']);
    const connected = testbed.read(CURSOR);
    const { status, stderr } = await testbed.run(['disconnect', '--yes'], { behind: FULL_DISK });
    expect([status, stderr]).toEqual([7, expect.stringContaining('Free up disk space')]);
    expect([testbed.read(CURSOR), namesBelow(testbed, '.cursor')]).toEqual([connected, ['mcp.json']]);
    expect(await testbed.run(['disconnect', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(testbed.read(CURSOR)).toBe(LARGE);
  });

  test('import writes no config, and works when there is space', async () => {
    const testbed = newTestbed();
    const servers = { a: SERVER, large: { command: 'node', args: ['x'.repeat(200_000)] } };
    testbed.write(CURSOR, { mcpServers: servers });
    const { status, stderr } = await testbed.run(['import', '--all'], { behind: FULL_DISK });
    expect([status, stderr]).toEqual([7, expect.stringContaining('Free up disk space')]);
    // The next import uses the secret again.
    expect(namesBelow(testbed, 'own')).toEqual(['secrets.json']);
    expect(await testbed.run(['import', '--all'])).toMatchObject({ status: 0 });
    expect(testbed.read(GLOBAL)).toContain('"large"');
  });

  /** Only where users may mount file systems of their own. */
  const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;
  test.runIf(canMount)('a real one keeps the file of the client', () => {
    const testbed = newTestbed();
    testbed.write(CURSOR, LARGE);
    const { command, args } = switchboard('connect', 'cursor', '--yes');
    const script = `mount -t tmpfs -o size=1m none "$HOME" && mkdir "$HOME/.cursor" && cp "$FILE" "$HOME/.cursor/" || exit 99
"$@" >/dev/null; echo "exit $?"; cmp "$HOME/.cursor/mcp.json" "$FILE" && ls "$HOME/.cursor"`;
    const home = testbed.path('project');
    const env = processes.env({ HOME: home, SWITCHBOARD_HOME: join(home, 'own'), FILE: testbed.path(CURSOR) });
    const words = ['-rm', 'sh', '-c', script, 'sh', command, ...args];
    const { stdout, stderr } = spawnSync('unshare', words, { env, encoding: 'utf8', cwd: testbed.folder });
    expect([stdout, stderr]).toEqual(['exit 7\nmcp.json\n', expect.stringContaining('ENOSPC. Free up disk space')]);
  });
});

describe('without write permission', () => {
  const isRoot = process.getuid?.() === 0;
  const USER = 12_345;
  /** Permissions do not apply to root. */
  const behind = isRoot ? ['setpriv', '--reuid', `${USER}`, '--regid', `${USER}`, '--clear-groups'] : [];

  /** Opens a home of an ordinary user. */
  function open(): Testbed {
    const testbed = newTestbed();
    testbed.write(CURSOR, { mcpServers: { a: SERVER } });
    testbed.write(WINDSURF, { mcpServers: {} });
    const all = ['', ...namesBelow(testbed, '.')];
    if (isRoot) for (const name of all) chownSync(testbed.path(name), USER, USER);
    return testbed;
  }

  /** Runs in a home that the user cannot write, with the default folders. */
  async function runReadOnly(testbed: Testbed, ...args: readonly string[]) {
    const folders = ['', '.cursor', '.codeium/windsurf', 'project'].map((name) => testbed.path(name));
    for (const folder of folders) chmodSync(folder, 0o500);
    const env = { SWITCHBOARD_HOME: '', SWITCHBOARD_CODE_CACHE: 'off' };
    const ran = await testbed.run(args, { behind, env, stdin: 'value\n' });
    for (const folder of folders) chmodSync(folder, 0o700);
    return ran;
  }

  test.each([
    ['connect', ['connect', '--yes'], 'The launcher cannot be installed: permission denied.'],
    ['import', ['import', '--all'], 'permission denied. Give this user write access'],
    ['secret set', ['secret', 'set', 'NAME'], 'permission denied. Give this user write access'],
  ])('%s fails with the reason, and changes nothing in the home', async (_, args, reason) => {
    const testbed = open();
    const before = namesBelow(testbed, '.').map((name) => [name, isFile(name) ? testbed.read(name) : '']);
    const ran = await runReadOnly(testbed, ...args);
    expect([ran.status, ran.stderr]).toEqual([7, expect.stringContaining(reason)]);
    expect(namesBelow(testbed, '.').map((name) => [name, isFile(name) ? testbed.read(name) : ''])).toEqual(before);
  });

  test.each([['list'], ['status'], ['import', '--dry-run'], ['connect', '--dry-run'], ['disconnect']])(
    '%s %s works',
    async (...args) => {
      expect(await runReadOnly(open(), ...args)).toMatchObject({ status: 0 });
    },
  );

  test('to the folder of a client, connect leaves its file alone, and so does disconnect', async () => {
    const testbed = open();
    const env = { SWITCHBOARD_CODE_CACHE: 'off' };
    const run = (...args: readonly string[]) => testbed.run(args, { behind, env });
    const before = testbed.read(CURSOR);
    chmodSync(testbed.path('.cursor'), 0o500);
    const refused = await run('connect', 'cursor', '--yes');
    expect([refused.status, refused.stderr]).toEqual([7, expect.stringContaining('access to the file and its folder')]);
    expect([testbed.read(CURSOR), testbed.json('own/connections.json')]).toMatchObject([before, { connections: [] }]);
    chmodSync(testbed.path('.cursor'), 0o700);
    await run('connect', 'cursor', '--yes');
    chmodSync(testbed.path('.cursor'), 0o500);
    expect(await run('disconnect', '--yes')).toMatchObject({ status: 7 });
    chmodSync(testbed.path('.cursor'), 0o700);
    expect(await run('disconnect', '--yes')).toMatchObject({ status: 0, stderr: '' });
    expect(testbed.read(CURSOR)).toBe(before);
  });

  test('to one of two clients, the other one is connected and can be disconnected', async () => {
    const testbed = open();
    const run = (...args: readonly string[]) => testbed.run(args, { behind, env: { SWITCHBOARD_CODE_CACHE: 'off' } });
    const before = [CURSOR, WINDSURF].map((file) => testbed.read(file));
    chmodSync(testbed.path(join(WINDSURF, '..')), 0o500);
    const { status, stdout, stderr } = await run('connect', 'cursor', 'windsurf', '--yes');
    expect([status, stderr]).toEqual([7, expect.stringContaining(WINDSURF)]);
    expect(stdout).toContain('Connected Cursor. ');
    chmodSync(testbed.path(join(WINDSURF, '..')), 0o700);
    expect(testbed.json('own/connections.json')).toMatchObject({ connections: [{ client: 'cursor' }] });
    expect(await run('disconnect', '--yes')).toMatchObject({ status: 0, stderr: '' });
    expect([CURSOR, WINDSURF].map((file) => testbed.read(file))).toEqual(before);
  });
});

function isFile(name: string): boolean {
  return name.endsWith('.json');
}
