import { utimesSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { showStatus } from '../../src/cli/mcp/status/command.ts';
import type { RunningStatus } from '../../src/control/status/running-status.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { oneDocument } from './output-modes.ts';
import { detail, respondingWith, runningStatus, summary, useRunning } from './running-processes.ts';
import { GLOBAL, ownConfig, PROJECT, useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const running = useRunning(processes);

const NONE = 'Switchboard is not running here; showing the configuration\n';

describe('when nothing is running', () => {
  verifies(
    'host:status:none',
    'reports that no server is configured, as mcp list does, and names the next command',
    async () => {
      const testbed = newTestbed();
      const shown = await testbed.mcp('status');
      expect(shown).toEqual(await testbed.mcp('list'));
      expect(shown).toEqual({
        status: 0,
        stdout: expect.stringMatching(/^no MCP servers configured\nAdd one: /),
        stderr: '',
      });
      expect(await testbed.run(['/mcp'])).toEqual(shown);
    },
  );

  test('the configured servers are shown in the same columns, and stderr says that nothing is running', async () => {
    const testbed = newTestbed();
    const file = testbed.write(PROJECT, ownConfig({ shy: { command: 'x' } }));
    const own = testbed.write(
      GLOBAL,
      ownConfig({ a: { url: 'https://a/mcp' }, off: { command: 'x', enabled: false }, bad: {} }),
    );
    const { status, stdout, stderr } = await testbed.mcp('status');
    expect({ status, stderr }).toEqual({ status: 0, stderr: NONE });
    expect(table(stdout)).toEqual([
      ['id', 'transport', 'source', 'enabled', 'state', 'tools', 'calls', 'p50', 'note'],
      [
        'shy',
        'stdio',
        'project',
        'no',
        'disabled',
        '-',
        '-',
        '-',
        `untrusted → switchboard trust ${testbed.path('project')}`,
      ],
      ['a', 'http', 'global', 'yes', '-', '-', '-', '-'],
      [
        ...['off', 'stdio', 'global', 'no', 'disabled', '-', '-', '-'],
        `disabled by ${own}:8 → switchboard mcp enable off --scope global`,
      ],
      ['bad', '-', 'global', 'no', 'error', '-', '-', '-', expect.stringContaining(`edit ${own}:`)],
    ]);
    const json = await testbed.mcp('status', '--json');
    expect([json.status, json.stderr]).toEqual([0, '']);
    expect(oneDocument(json.stdout)).toMatchObject({
      ...{ v: 1, running: [], failed: [], ignored: [] },
      configured: {
        servers: [{ id: 'shy', configured: `${file}:5` }, { id: 'a', state: '-' }, { id: 'off' }, { id: 'bad' }],
      },
    });
  });

  test('one server is shown with its settings and its sign-in, without any secret', async () => {
    const testbed = newTestbed();
    const url = 'https://a.example/mcp';
    const file = testbed.write(
      GLOBAL,
      ownConfig({ a: { url, headers: { 'X-Team': 'blue' }, oauth: { client_id: 'c' } } }),
    );
    signIn(testbed, url);
    const { status, stdout, stderr } = await testbed.mcp('status', 'a');
    expect({ status, stderr }).toEqual({ status: 0, stderr: NONE });
    expect(linesOf(stdout)).toEqual([
      'a',
      '  state            not running',
      `  configured       ${file}:5 (global)`,
      `  url              ${url}  (line 6)`,
      '  headers.X-Team   (value hidden)  (line 8)',
      '  oauth.client_id  c  (line 11)',
      '  auth             oauth signed in',
      '  token ends       TIME (in 59 min), then refreshed automatically',
      '  scopes           read write',
    ]);
    const json = await testbed.mcp('status', 'a', '--json');
    expect(oneDocument(json.stdout)).toMatchObject({
      id: 'a',
      configured: { id: 'a', signIn: { auth: 'oauth signed in', isRenewable: true, scopes: ['read', 'write'] } },
    });
    expect(stdout + json.stdout).not.toMatch(/geheim|blue/);
  });

  test('an unreadable file is named, and the status is 7', async () => {
    const testbed = newTestbed();
    const file = testbed.write(GLOBAL, '{ "mcp": ');
    const { status, stdout, stderr } = await testbed.mcp('status');
    expect([status, stdout]).toEqual([7, 'no server could be read\n']);
    expect(stderr).toContain(`${NONE}${file}:1: Not JSON`);
    expect(await testbed.mcp('status', 'a')).toMatchObject({
      status: 7,
      stdout: '',
      stderr: expect.stringContaining(file),
    });
  });
});

describe('a running process', () => {
  test('is listed separately even if another has the same servers, and a codex server shows its sessions', async () => {
    const testbed = newTestbed();
    const startedAt = Date.now() - 2 * 3_600_000;
    const same = { servers: [summary('files', { calls: 7, underWay: 2, p50Ms: 12 })] };
    const all: readonly Partial<RunningStatus>[] = [
      { ...same, startedAt, cwd: '/home/me/project', clients: ['codex-mcp-client 0.166.0'] },
      { ...same, startedAt, cwd: '/home/me/other', configFile: '/etc/sb.json', problems: ['/x.json:1: bad'] },
      { role: 'codex', cwd: '/c', sessions: [{ id: 's1', state: 'running', questions: 1, title: 'Tests' }] },
      { role: 'codex', cwd: '/d', sessions: [] },
      { role: 'host', cwd: '/h' },
    ];
    for (const one of all) await running.socket(testbed, () => runningStatus(one));
    const { status, stdout, stderr } = await testbed.mcp('status');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const pid = `pid ${process.pid}`;
    const rows = [
      'id     transport  source  enabled  state  tools  calls  p50    note',
      'files  stdio      global  yes      ready  1      7+2    12 ms',
    ];
    // They start at almost the same time, so their order depends on the clock.
    expect(stdout.trimEnd().split('\n\n').toSorted()).toEqual(
      [
        [
          `codex · ${pid} · up under a minute · /c`,
          'session  state    questions  folder  title',
          's1       running  1          -       Tests',
        ],
        [`codex · ${pid} · up under a minute · /d`, 'no sessions'],
        [`gateway · ${pid} · up 2 h · /home/me/other · config /etc/sb.json`, ...rows, 'problem: /x.json:1: bad'],
        [`gateway · ${pid} · up 2 h · /home/me/project · for codex-mcp-client 0.166.0`, ...rows],
        [`host · ${pid} · up under a minute · /h`, (await newTestbed().mcp('list')).stdout.trimEnd()],
      ].map((lines) => lines.join('\n')),
    );
  });

  test('is all that is shown, whatever is configured or unreadable', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, '{ "mcp": ');
    await running.socket(testbed, respondingWith(detail('one')));
    const { status, stdout, stderr } = await testbed.mcp('status');
    expect([status, stderr, table(stdout).map(([id]) => id)]).toEqual([0, '', [expect.any(String), 'id', 'one']]);
  });

  test('that hangs, dies or speaks another version is named on stderr, and the others are shown', async () => {
    const testbed = newTestbed();
    await running.socket(testbed, () => new Promise(() => {}));
    await running.socket(testbed, () => ({ v: 2 }));
    const dying = await running.socket(testbed, () => {
      void dying.close();
      return new Promise(() => {});
    });
    await running.socket(testbed, respondingWith(detail('one')));
    testbed.write('own/run/notes.txt', 'no socket');
    const { status, stdout, stderr } = await testbed.mcp('status');
    expect([status, table(stdout).map(([id]) => id)]).toEqual([0, [expect.any(String), 'id', 'one']]);
    expect(stderr.trimEnd().split('\n').toSorted()).toEqual([
      `Ignored ${testbed.path('own/run/notes.txt')}: it is not a socket`,
      expect.stringMatching(`^Process ${process.pid} reports its status in an unknown format \\(v\\)`),
      expect.stringMatching(`Switchboard process ${process.pid} closed the connection before it answered mcp.list`),
      expect.stringMatching(`Switchboard process ${process.pid} did not answer mcp.list within 1000 ms`),
    ]);
  });

  test('that does not respond is reported, and the configured servers are shown', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ a: { command: 'x' } }));
    await running.socket(testbed, () => new Promise(() => {}));
    const { status, stdout, stderr } = await testbed.mcp('status');
    expect([status, stdout]).toEqual([0, expect.stringContaining('a   stdio')]);
    expect(stderr).toContain('no running Switchboard process responds; showing the configuration');
    expect(await testbed.mcp('status', 'b')).toMatchObject({
      status: 8,
      stdout: '',
      stderr: expect.stringContaining('No responding Switchboard process has b.'),
    });
    expect(oneDocument((await testbed.mcp('status', '--json')).stdout)).toMatchObject({
      running: [],
      failed: [{ pid: process.pid, code: 'TIMED_OUT' }],
    });
  });

  test('cannot control the terminal, whatever it sends', async () => {
    const testbed = newTestbed();
    const evil = 'a\u001b]0;x\u0007b\u001b[2J\u202ec\nd';
    const hostile = detail(evil, {
      ...{
        source: evil,
        note: evil,
        next: evil,
        where: evil,
        serverInfo: evil,
        protocolVersion: evil,
        lastWords: [evil],
      },
      ...{ lastError: { code: evil, message: evil, at: 1 }, configured: evil, remarks: [evil] },
      settings: [{ key: evil, value: evil, place: evil }],
      toolList: [{ name: evil, publicName: evil, badges: [evil], hidden: evil, rewrites: [evil] }],
      leftOut: [{ name: evil, reason: evil }],
    });
    const shown = runningStatus({ cwd: evil, configFile: evil, clients: [evil], problems: [evil], servers: [hostile] });
    await running.socket(testbed, (method) => (method === 'mcp.list' ? shown : hostile));
    const ran = await Promise.all(
      [['status'], ['status', '--json'], ['status', evil], ['status', evil, '--json']].map((args) =>
        testbed.mcp(...args),
      ),
    );
    expect(ran.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    const texts = ran.map(({ stdout, stderr }) => stdout + stderr);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
    expect(texts.filter((text) => /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(text))).toEqual([]);
    expect(texts[0]?.trimEnd().split('\n')).toHaveLength(4);
  });
});

test('switchboard alone on a terminal shows the same, with the next commands', async () => {
  const testbed = newTestbed();
  await running.socket(testbed, respondingWith(detail('one')));
  const messages: string[] = [];
  const say = (text: string) => void messages.push(text);
  await showStatus({
    ...{ output: { answer: say, report: say }, cwd: testbed.path('project'), home: testbed.folder },
    ...{
      env: { SWITCHBOARD_HOME: testbed.path('own') },
      packageRoot: new URL('../../', import.meta.url),
      stopSavingCode() {},
    },
  });
  expect(messages).toEqual([
    (await testbed.mcp('status')).stdout.trimEnd(),
    '\nMore: switchboard doctor · switchboard status <id> · switchboard --help',
  ]);
});

describe('servers of clients that no import has seen', () => {
  function open() {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ one: { command: 'x' } }));
    testbed.write('.cursor/mcp.json', { mcpServers: { fresh: { command: 'true' } } });
    return testbed;
  }

  test('are mentioned by status and its alias ps', async () => {
    const testbed = open();
    const cursor = { imported: [], shared: [], seen: [] };
    testbed.write('own/clients.json', { version: 1, clients: { cursor } });
    const { stderr } = await testbed.run(['status']);
    expect(stderr).toBe(`${NONE}New since the last import: fresh in Cursor. Next: switchboard import --new\n`);
    expect((await testbed.run(['ps'])).stderr).toBe(stderr);
    await testbed.run(['import', '--new', '--all']);
    expect((await testbed.run(['status'])).stderr).toBe(NONE);
  });

  test('and everything else that needs attention are shown by switchboard alone', async () => {
    const testbed = open();
    testbed.write('own/secrets.json.lock', '');
    utimesSync(testbed.path('own/secrets.json.lock'), 1, 1);
    const messages: string[] = [];
    const say = (text: string) => void messages.push(text);
    await showStatus({
      ...{ output: { answer: say, report: say }, cwd: testbed.path('project'), home: testbed.folder },
      ...{ env: { SWITCHBOARD_HOME: testbed.path('own') }, packageRoot: new URL('../../', import.meta.url) },
      stopSavingCode: () => undefined,
    });
    expect(messages.join('\n').split('\n').slice(-8)).toEqual([
      'Needs attention:',
      '  ⚠ 1 lock left by killed processes',
      '    ~/own/secrets.json.lock',
      '    Run: switchboard doctor --fix',
      '  · Not imported yet: fresh (Cursor)',
      '    Run: switchboard import --new',
      '',
      'More: switchboard doctor · switchboard status <id> · switchboard --help',
    ]);
  });
});

describe('one server', () => {
  test('is shown with everything that each process knows about it', async () => {
    const testbed = newTestbed();
    const url = 'https://a.example/mcp';
    testbed.write(GLOBAL, ownConfig({ web: { url } }));
    signIn(testbed, url);
    const at = Date.now() - 200_000;
    const web = detail('web', {
      ...{
        transport: 'http',
        state: 'error',
        note: 'it went away',
        next: 'switchboard mcp test web',
        tools: 1,
        calls: 3,
      },
      ...{
        underWay: 1,
        p50Ms: 1_240,
        configured: '/c.json:4',
        where: url,
        protocolVersion: '2026-07-28',
        era: 'modern',
      },
      settings: [{ key: 'url', value: url, place: '/c.json:5' }],
      ...{ serverInfo: 'web 1.0 (Web)', lastError: { code: 'UNREACHABLE', message: 'ECONNREFUSED', at } },
      ...{ lastWords: ['oh no'], lastConnectedAt: at, restarts: 2, prompts: 1, resources: 0, remarks: ['a remark'] },
      toolList: [
        { name: 'find', publicName: 'web__find', badges: ['read-only', 'idempotent'], rewrites: ['x: any type'] },
        { name: 'drop', badges: [], hidden: 'denied by its entry', rewrites: [] },
      ],
      leftOut: [{ name: 'odd one', reason: 'no schema' }],
    });
    const cwd = testbed.path('project');
    const answer = (method: string) => (method === 'mcp.list' ? runningStatus({ cwd, servers: [web] }) : web);
    await running.socket(testbed, answer);
    await running.socket(testbed, respondingWith(detail('other')));
    await running.socket(testbed, answer);
    const { status, stdout, stderr } = await testbed.mcp('status', 'web');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [first, second] = stdout.trimEnd().split('\n\n');
    expect(second).toBe(first);
    expect(linesOf(first ?? '')).toEqual([
      `web · gateway · pid ${process.pid} · up under a minute · ${cwd}`,
      '  state           error: it went away',
      '  next            switchboard mcp test web',
      '  configured      /c.json:4 (global)',
      `  url             ${url}  (line 5)`,
      `  reached by      http, ${url}`,
      '  protocol        2026-07-28 (modern)',
      '  server          web 1.0 (Web)',
      '  auth            oauth signed in',
      '  token ends      TIME (in 59 min), then refreshed automatically',
      '  scopes          read write',
      '  offers          1 tool, 1 prompt, 0 resources',
      '  calls           3 answered, 1 pending, p50 1.2 s',
      '  restarts        2',
      '  last connected  TIME (3 min ago)',
      '  last error      UNREACHABLE: ECONNREFUSED, TIME (3 min ago)',
      'last stderr lines:',
      '  oh no',
      'tools:',
      '  find [read-only, idempotent]  as web__find',
      '    rewritten: x: any type',
      '  drop',
      '    not offered: denied by its entry',
      'left out:',
      '  "odd one": no schema',
      'remarks:',
      '  a remark',
    ]);
    const json = await testbed.mcp('status', 'web', '--json');
    expect(oneDocument(json.stdout)).toMatchObject({
      ...{ v: 1, id: 'web', configured: null },
      running: [{ cwd, server: web, signIn: { auth: 'oauth signed in' } }, { server: web }],
    });
    expect(stdout + json.stdout).not.toContain('geheim');
  });

  test('that no running process has is shown as configured', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ mine: { command: 'x' } }));
    await running.socket(testbed, respondingWith(detail('other')));
    const { status, stdout, stderr } = await testbed.mcp('status', 'mine');
    expect([status, stderr]).toEqual([0, 'no running Switchboard process has mine; showing its configuration\n']);
    expect(stdout).toMatch(/^mine\n {2}state +not running\n/);
  });

  test('that is unknown exits with 2 and one suggestion', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ filesystem: { command: 'x' } }));
    await running.socket(testbed, respondingWith(detail('filesystem')));
    const { status, stdout, stderr } = await testbed.mcp('status', 'filesysten');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^There is no server filesysten\. Did you mean filesystem\?\n/);
  });
});

function signIn(testbed: ReturnType<typeof newTestbed>, url: string): void {
  const tokens = {
    access_token: 'geheim-1',
    refresh_token: 'geheim-2',
    expires_at: Date.now() + 3_599_000,
    scope: 'read write',
  };
  testbed.write('own/mcp-auth.json', {
    version: 1,
    servers: { a: { url, client_id: 'c', ...tokens }, web: { url, client_id: 'c', ...tokens } },
  });
}

/** Times differ between runs. */
function linesOf(text: string): readonly string[] {
  return text
    .trimEnd()
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')
    .split('\n');
}

function table(text: string): readonly (readonly string[])[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}
