import { afterEach, describe, expect, test } from 'vitest';
import { openAuthorizationServer } from '../auth/authorization-server.ts';
import { openProtectedServer } from '../auth/protected-server.ts';
import { fixture } from '../fixtures/paths.ts';
import { officialServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { ownServer, recordedLines, startCall } from './call-testbed.ts';
import { oneDocument } from './output-modes.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('invalid arguments are reported by field, and nothing is called', () => {
  const schema = {
    type: 'object',
    properties: { limit: { type: 'integer', minimum: 1 }, label: { enum: ['bug', 'idea'] } },
    required: ['limit'],
    additionalProperties: false,
  };
  const open = () => {
    const testbed = newTestbed();
    const find = `{ inputSchema: ${JSON.stringify(schema)}, call: () => { note('called'); return text('called'); } }`;
    return configure(testbed, { one: ownServer(testbed, `serve({ tools: { find: ${find} } });`) });
  };

  test('for a user', async () => {
    const testbed = open();
    const { status, stdout, stderr } = await testbed.mcp('call', 'one.find', 'limit=ten', 'lable=bug');
    expect([status, stdout, recordedLines(testbed)]).toEqual([2, '', []]);
    expect(stderr).toMatch(
      /^one\.find does not accept these arguments\. limit: "ten" is not an integer; allowed: integer ≥ 1\. lable: there is no such argument\. Did you mean label\? See: switchboard mcp tool one\.find\n/,
    );
  });

  test('with an example if arguments are missing', async () => {
    const { stderr } = await open().mcp('call', 'one.find');
    expect(stderr).toBe(
      'one.find does not accept these arguments. limit is required (integer ≥ 1). Example: switchboard call one.find limit=… See: switchboard mcp tool one.find\n',
    );
  });

  test('for a program', async () => {
    const { status, stdout, stderr } = await open().mcp('call', 'one.find', 'label=x', '--json');
    expect([status, stdout, oneDocument(stderr)]).toMatchObject([
      ...[2, ''],
      {
        error: {
          code: 'USAGE',
          fields: [
            { field: 'limit', message: 'required (integer ≥ 1)' },
            { field: 'label', message: '"x" is not allowed; allowed: "bug" or "idea"' },
          ],
        },
      },
    ]);
  });

  test.each([
    [
      ['limit'],
      /^limit is not an argument: write key=value\. Usage: switchboard mcp call <server>\.<tool> \[key=value…\]/,
    ],
    [['{"limit": 1}'], /^A JSON object follows --args\. Run: switchboard mcp call \S+ --args '\{"limit": 1\}'\n$/],
    [['--args', '{'], /^--args is not JSON: /],
    [['limit=@gone'], /^limit: .*project\/gone cannot be read: ENOENT/],
    [['--timeout', 'soon'], /^--timeout takes a number of seconds, not soon\./],
    [['--output', 'x', '--json'], /--output cannot be used with --json/],
  ])('and no server is started for %j', async (args, words) => {
    const testbed = configure(newTestbed(), { one: { command: '/no/such' } });
    const { status, stdout, stderr } = await testbed.mcp('call', 'one.find', ...args);
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(args.includes('--json') ? /USAGE/ : words)]);
  });
});

test('an unusable schema is ignored, and the server validates', async () => {
  const testbed = configure(newTestbed(), { bombs: fixture('schema-bombs') });
  const tools = ['cyclic', 'foreign', 'many-branches', 'slow-pattern', 'bottomless'];
  const ran = await Promise.all(tools.map((tool) => testbed.mcp('call', `bombs.${tool}`, `q=${'a'.repeat(40)}!`)));
  expect(ran).toEqual(
    tools.map((tool) => ({
      ...{ status: 0, stdout: `${tool}\n` },
      stderr: expect.stringMatching(new RegExp(`^Note: the arguments of bombs\\.${tool} are not checked: .+\\.\\n$`)),
    })),
  );
});

describe('each exit status has its cause', () => {
  test('2: the server does not exist or is disabled', async () => {
    const testbed = configure(newTestbed(), { github: fixture('well-behaved'), off: { command: 'x', enabled: false } });
    const [near, bare, off] = await Promise.all([
      testbed.mcp('call', 'githib.add'),
      testbed.mcp('call', 'github'),
      testbed.mcp('call', 'off.add'),
    ]);
    expect([near, bare, off].map(({ status, stdout }) => [status, stdout])).toEqual(Array(3).fill([2, '']));
    expect([near.stderr, off.stderr]).toEqual([
      expect.stringContaining('Did you mean github.add?'),
      expect.stringContaining('Run: switchboard mcp enable off --scope global'),
    ]);
  });

  test('3: a sign-in is required', async () => {
    const authorizationServer = await openAuthorizationServer();
    const server = await openProtectedServer({ authorizationServer });
    closers.push(
      () => server.close(),
      () => authorizationServer.close(),
    );
    const testbed = configure(newTestbed(), { notes: { url: server.url } });
    const { status, stdout, stderr } = await testbed.mcp('call', 'notes.add');
    expect([status, stdout, stderr]).toEqual([3, '', expect.stringContaining('switchboard mcp login notes')]);
  });

  test('4: the server could not start, or crashed', async () => {
    const testbed = configure(newTestbed(), { gone: { command: '/no/such' }, dies: fixture('dies-mid-call') });
    const [gone, died] = await Promise.all([testbed.mcp('call', 'gone.x'), testbed.mcp('call', 'dies.die')]);
    expect([gone.status, gone.stdout, died.status, died.stdout]).toEqual([4, '', 4, '']);
    expect(gone.stderr).toMatch(/^gone: .*own\/config\.json:\d+.* Run: switchboard mcp test gone\n$/);
    expect(died.stderr).toMatch(
      /^dies\.die: .*out of cheese\. The server may have done this; check before repeating\. Run: switchboard mcp test dies\n$/,
    );
  });

  test.each([
    [
      'dies-at-start',
      {},
      'it ended with exit code 3: dies-at-start: API_KEY is not set. Set `API_KEY` in its `env`',
      'switchboard set one env.API_KEY --scope global',
    ],
    ['hangs-at-initialize', { startup_timeout_ms: 500 }, 'it did not become ready: ', 'switchboard mcp test one'],
    [
      'hangs-at-list',
      { request_timeout_ms: 500 },
      'one did not answer tools/list within 5',
      'switchboard mcp test one',
    ],
  ] as const)(
    '4 or 8: %s is reported with the server, its location and the next command',
    async (name, limits, words, next) => {
      const testbed = configure(newTestbed(), { one: { ...fixture(name), ...limits } });
      const [plain, json] = await Promise.all([testbed.mcp('call', 'one.x'), testbed.mcp('call', 'one.x', '--json')]);
      const file = testbed.path('own/config.json');
      expect(plain.stderr).toMatch(new RegExp(`^one: .* \\(.*own/config\\.json:\\d+\\)\\. Run: ${next}\n$`));
      expect(plain.stderr).toContain(words);
      expect(oneDocument(json.stderr)).toMatchObject({
        error: { server: 'one', file, line: expect.any(Number), next },
      });
      expect([plain.status, plain.stdout, json.stdout]).toEqual([json.status, '', '']);
    },
  );

  test('5: the tool does not exist, or it failed', async () => {
    const testbed = newTestbed();
    configure(testbed, { one: fixture('well-behaved'), files: officialServer('filesystem', testbed.path('project')) });
    const [unknown, failed, failedJson] = await Promise.all([
      testbed.mcp('call', 'one.ad', 'a=1'),
      testbed.mcp('call', 'files.read_text_file', 'path=/etc/hostname'),
      testbed.mcp('call', 'files.read_text_file', 'path=/etc/hostname', '--json'),
    ]);
    expect(unknown).toEqual({ status: 5, stdout: '', stderr: expect.stringContaining('Did you mean one.add?') });
    expect([failed.status, failed.stdout]).toEqual([5, expect.stringContaining('Access denied')]);
    expect(failed.stderr).toMatch(
      /^files\.read_text_file: the tool reported a failure\. See: switchboard mcp tool files\.read_text_file\n$/m,
    );
    expect(failed.stderr).not.toContain('Access denied');
    expect([failedJson.status, oneDocument(failedJson.stdout), oneDocument(failedJson.stderr)]).toMatchObject([
      ...[5, { v: 1, result: { isError: true } }],
      { error: { code: 'TOOL_FAILED', server: 'files', tool: 'read_text_file' } },
    ]);
  });

  test('5: the user must visit a URL first, which is shown in full and not opened', async () => {
    const testbed = newTestbed();
    const elicitations = [{ mode: 'url', message: 'Sign in', url: 'http://pаypal.example/?a=1', elicitationId: 'x' }];
    const error = { code: -32042, message: 'An address must be visited', data: { elicitations } };
    const refuse = `({ id, peer }) => void peer.send({ jsonrpc: '2.0', id, error: ${JSON.stringify(error)} })`;
    const methods = `{ 'tools/call': ${refuse} }`;
    configure(testbed, { one: ownServer(testbed, `serve({ tools: { go: { call() {} } }, methods: ${methods} });`) });
    const { status, stdout, stderr } = await testbed.mcp('call', 'one.go');
    expect([status, stdout]).toEqual([5, '']);
    expect(stderr.split('\n')).toEqual(
      expect.arrayContaining([
        'The server one asks you to visit this URL before you call again: Sign in',
        '  http://pаypal.example/?a=1',
        '  leads to: xn--pypal-4ve.example',
        expect.stringMatching(/^ {2}Warning: It is not https/),
        expect.stringMatching(/^ {2}Warning: The host mixes letters that look alike/),
        'one.go: An address must be visited',
      ]),
    );
  });

  test('7: a file cannot be read, so the servers are unknown', async () => {
    const testbed = newTestbed();
    testbed.write('own/config.json', '{\n  "version": 1,');
    const { status, stdout, stderr } = await testbed.mcp('call', 'one.add');
    expect([status, stdout, stderr]).toEqual([7, '', expect.stringMatching(/config\.json:2: Not JSON/)]);
  });

  verifies('host:call:timeout', '8: the call timed out, and was cancelled at the server', async () => {
    const testbed = newTestbed();
    configure(testbed, { one: ownServer(testbed, `serve({ tools: { wait: ${WAIT} } });`) });
    const { status, stdout, stderr } = await testbed.mcp('call', 'one.wait', '--timeout', '3');
    expect([status, stdout, recordedLines(testbed)]).toEqual([8, '', ['begun', 'cancelled']]);
    expect(stderr).toMatch(
      /^one\.wait did not answer within 3 s and was cancelled\. The server may have done this; check before repeating\. To allow more time, use --timeout\./,
    );
  });

  test('2: a server is named without a tool, even if another config file is broken', async () => {
    const testbed = configure(newTestbed(), { echo: fixture('well-behaved') });
    testbed.write('project/.mcp.json', '{ broken');
    const { status, stdout, stderr } = await testbed.mcp('call', 'echo');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^echo is a server, but no tool or prompt is named\. Write echo\.<name>/);
  });

  test('9: the server is not trusted, or the config hides the tool', async () => {
    const testbed = newTestbed();
    configure(testbed, {
      denied: { ...fixture('well-behaved'), disabled_tools: ['add'] },
      chosen: { ...fixture('well-behaved'), enabled_tools: ['echo'] },
    });
    testbed.write('project/.mcp.json', { mcpServers: { near: { command: '/no/such' } } });
    const [near, denied, chosen] = await Promise.all(
      ['near', 'denied', 'chosen'].map((id) => testbed.mcp('call', `${id}.add`, 'a=1', 'b=2')),
    );
    expect([near, denied, chosen]).toEqual(
      [
        /is not trusted, so it is not started\. Run: switchboard trust/,
        /denied\.add is hidden by the config: it is listed in its disabled_tools \(.*config\.json:\d+\)/,
        /chosen\.add is hidden by the config: it is not listed in its enabled_tools \(.*config\.json:\d+\)/,
      ].map((words) => ({ status: 9, stdout: '', stderr: expect.stringMatching(words) })),
    );
  });

  verifies('host:call:cancel-stdio', '130: Ctrl-C cancels the call at the server', async () => {
    const testbed = newTestbed();
    configure(testbed, { one: ownServer(testbed, `serve({ tools: { wait: ${WAIT} } });`) });
    const call = startCall(testbed, processes, ['call', 'one.wait']);
    await expect.poll(() => recordedLines(testbed), { timeout: 30_000 }).toEqual(['begun']);
    call.interrupt();
    expect(await call.ended).toMatchObject({
      status: 130,
      stderr: expect.stringMatching(/^one\.wait was cancelled\./),
    });
    expect(recordedLines(testbed)).toEqual(['begun', 'cancelled']);
  });

  test('130: Ctrl-C while the server is still starting', async () => {
    const testbed = configure(newTestbed(), { one: fixture('hangs-at-initialize') });
    const isUp = () => processes.alive().some(({ command }) => command.includes('hangs-at-initialize'));
    const call = startCall(testbed, processes, ['call', 'one.wait']);
    await expect.poll(isUp, { timeout: 30_000, interval: 20 }).toBe(true);
    call.interrupt();
    expect(await call.ended).toMatchObject({ status: 130, signal: null });
  });

  test('the second Ctrl-C does not wait for a stubborn server, and leaves no process', async () => {
    const testbed = newTestbed();
    const stubborn = `process.on('SIGTERM', () => {}); serve({ outlivesEof: true, tools: { wait: ${WAIT} } });`;
    configure(testbed, { one: ownServer(testbed, stubborn) });
    const call = startCall(testbed, processes, ['call', 'one.wait']);
    await expect.poll(() => recordedLines(testbed), { timeout: 30_000 }).toEqual(['begun']);
    call.interrupt();
    await expect.poll(() => recordedLines(testbed), { timeout: 30_000 }).toEqual(['begun', 'cancelled']);
    call.interrupt();
    expect(await call.ended).toMatchObject({ signal: 'SIGINT' });
  });
});

/** A tool that never finishes, and records the messages it receives. */
const WAIT = `{
  call(_, { signal }) {
    note('begun');
    signal.addEventListener('abort', () => note('cancelled'));
    return new Promise(() => {});
  },
}`;
