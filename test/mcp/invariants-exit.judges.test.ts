import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { openAuthorizationServer } from '../auth/authorization-server.ts';
import { openProtectedServer } from '../auth/protected-server.ts';
import { fixture } from '../fixtures/paths.ts';
import { switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Status 5, a failing tool, does not occur: these commands call no tool. */
describe('each exit status reports its cause', () => {
  test('0: everything works', async () => {
    const testbed = configure(newTestbed(), { one: fixture('well-behaved') });
    expect([await statusOf(testbed, 'list'), await statusOf(testbed, 'test', 'one')]).toEqual([0, 0]);
  });

  test('2: the command, server or option does not exist', async () => {
    const testbed = newTestbed();
    const ran = [['lits'], ['get', 'nobody'], ['list', '--nonsense'], ['add']];
    expect(await Promise.all(ran.map((args) => statusOf(testbed, ...args)))).toEqual([2, 2, 2, 2]);
  });

  test('3: a sign-in is required; without a terminal the URL is printed', async () => {
    const testbed = await withProtected();
    const tested = await testbed.mcp('test', 'notes');
    expect([tested.status, tested.stdout]).toEqual([
      3,
      expect.stringMatching(/✗ sign-in .*Run: switchboard mcp login notes\n$/),
    ]);
    const login = await testbed.mcp('login', 'notes');
    expect(login.status).toBe(3);
    expect(JSON.parse(login.stdout)).toEqual({
      v: 1,
      authUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/auth\?/),
      resume: expect.stringContaining('switchboard mcp login notes'),
    });
    expect((await testbed.mcp('login', 'notes', '--json')).status).toBe(3);
  });

  test('4: the server cannot start, or is unreachable', async () => {
    const testbed = configure(newTestbed(), { gone: { command: '/no/such' }, away: { url: 'http://127.0.0.1:9/mcp' } });
    const ran = [
      ['test', 'gone'],
      ['test', 'away'],
      ['login', 'away', '--wait'],
    ];
    expect(await Promise.all(ran.map((args) => statusOf(testbed, ...args)))).toEqual([4, 4, 4]);
  });

  test('6: some of its tools cannot be offered', async () => {
    expect(await statusOf(configure(newTestbed(), { one: fixture('odd-tools') }), 'test', 'one')).toBe(6);
  });

  test('7: its entry is invalid, or a variable that it names is not set', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    const testbed = configure(newTestbed(), {
      wrong: { url: 'ftp://x' },
      unset: { url, bearer_token_env_var: 'NOT_SET' },
    });
    const ran = [
      ['test', 'wrong'],
      ['test', 'unset'],
      ['login', 'wrong'],
      ['login', 'unset'],
    ];
    expect(await Promise.all(ran.map((args) => statusOf(testbed, ...args)))).toEqual([7, 7, 7, 7]);
  });

  test('8: it timed out, or the sign-in timed out', async () => {
    const hangs = configure(newTestbed(), { one: { ...fixture('hangs-at-list'), request_timeout_ms: 300 } });
    expect(await statusOf(hangs, 'test', 'one')).toBe(8);
    const testbed = await withProtected();
    const { status, stdout, stderr } = await testbed.mcp('login', 'notes', '--wait', '--no-browser', '--timeout', '1');
    expect([status, stdout, stderr]).toEqual([8, '', expect.stringContaining('switchboard mcp login notes')]);
  });

  test('9: it is not trusted', async () => {
    const testbed = newTestbed();
    const url = 'http://127.0.0.1:9/mcp';
    testbed.write('project/.mcp.json', { mcpServers: { one: fixture('well-behaved'), web: { type: 'http', url } } });
    const ran = [
      ['test', 'one'],
      ['test', 'web'],
      ['login', 'web'],
      ['login', 'web', '--wait'],
    ];
    expect(await Promise.all(ran.map((args) => statusOf(testbed, ...args)))).toEqual([9, 9, 9, 9]);
  });

  test('130: it was interrupted, and leaves no process', async () => {
    const hangs = configure(newTestbed(), { one: fixture('hangs-at-initialize') });
    const isUp = () => processes.alive().some(({ command }) => command.includes('hangs-at-initialize'));
    expect(await interrupt(hangs, ['test', 'one'], isUp)).toBe(130);
    const testbed = await withProtected();
    let output = '';
    const login = ['login', 'notes', '--wait', '--no-browser'];
    expect(
      await interrupt(
        testbed,
        login,
        () => output.includes('visit:'),
        (text) => (output += text),
      ),
    ).toBe(130);
  });
});

test('nothing is prompted for without a terminal: a secret without its value is rejected, with the alternatives', async () => {
  const ways = [['--bearer-token'], ['--header', 'Authorization'], ['--oauth-client-secret']];
  for (const keepsStdin of [true, false]) {
    const ran = ways.map((way) => newTestbed().run(['mcp', 'add', 'new', 'https://x/mcp', ...way], { keepsStdin }));
    for (const { status, stdout, stderr } of await Promise.all(ran))
      expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/-env/)]);
  }
});

async function statusOf(testbed: Testbed, ...args: readonly string[]): Promise<number | null> {
  return (await testbed.mcp(...args)).status;
}

async function withProtected(): Promise<Testbed> {
  const authorizationServer = await openAuthorizationServer();
  const server = await openProtectedServer({ authorizationServer });
  closers.push(
    () => server.close(),
    () => authorizationServer.close(),
  );
  return configure(newTestbed(), { notes: { url: server.url } });
}

/** Sends SIGINT, as Ctrl-C does, once the command is running. */
async function interrupt(
  testbed: Testbed,
  args: readonly string[],
  isAtWork: () => boolean,
  onTalk: (text: string) => void = () => {},
): Promise<number | null> {
  const { command, args: all } = switchboard('mcp', ...args);
  const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
  const started = spawn(command, all, { env, cwd: testbed.path('project'), stdio: 'pipe', timeout: 55_000 });
  started.stdout.resume();
  started.stderr.setEncoding('utf8').on('data', onTalk);
  await expect.poll(isAtWork, { timeout: 30_000, interval: 20 }).toBe(true);
  started.kill('SIGINT');
  const [status, signal] = await once(started, 'exit');
  // As a shell reports it.
  return signal === null ? status : 128 + constants.signals[signal as NodeJS.Signals];
}
