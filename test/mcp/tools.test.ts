import { describe, expect, test } from 'vitest';
import { type FixtureName, fixture } from '../fixtures/paths.ts';
import { officialServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { answerOnTerminal } from './answer-on-terminal.ts';
import { HOSTILE, runAsJson, STEERING, scripted } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { GLOBAL, ownConfig, useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const withServers = (servers: Readonly<Record<string, unknown>>) => configure(newTestbed(), servers);

describe('a server that cannot be listed', () => {
  const KINDS: readonly (readonly [FixtureName, number, string, RegExp])[] = [
    [
      'dies-at-start',
      4,
      '20',
      /^one: it ended with exit code 3: dies-at-start: API_KEY is not set\. .*\(.*:\d+\)\. Run: switchboard set one env\.API_KEY --scope global\n$/,
    ],
    ['hangs-at-initialize', 4, '1', /^one: it did not become ready: .* \(.*:\d+\)\. Run: switchboard mcp test one\n$/],
    [
      'hangs-at-list',
      8,
      '6',
      /^one: one did not answer tools\/list within 6 s \(.*:\d+\)\. Run: switchboard mcp test one\n$/,
    ],
  ];

  test.each(KINDS)('%s gives the list the status %i, with the next step', async (name, status, seconds, words) => {
    const ended = await withServers({ one: fixture(name) }).mcp('tools', '--timeout', seconds);
    expect(ended).toEqual({ status, stdout: '', stderr: expect.stringMatching(words) });
  });

  test('does not hide the tools of the others, and the highest status applies', async () => {
    const testbed = withServers({
      dying: fixture('dies-at-start'),
      good: fixture('well-behaved'),
      slow: fixture('hangs-at-list'),
      broken: { command: 7 },
      off: { command: 'x', enabled: false },
    });
    // Each waits for the timeout.
    const [{ status, stdout, stderr }, verbose, { answer, error }] = await Promise.all([
      testbed.mcp('tools', '--timeout', '8'),
      testbed.mcp('tools', '--timeout', '8', '--verbose'),
      runAsJson(testbed, 'tools', '--timeout', '8'),
    ]);
    expect([status, stdout.split('\n')[0]]).toEqual([8, expect.stringMatching(/^good\.\w+\(/)]);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^broken: .*config\.json:\d+: /),
      expect.stringMatching(/^dying: it ended with exit code 3/),
      expect.stringMatching(/^slow: slow did not answer tools\/list within 8 s \(.*config\.json:\d+\)\./),
      '3 of 4 could not be queried: broken, dying, slow.',
      'Try again, or allow more time.',
      '',
    ]);
    expect([verbose.status, verbose.stdout]).toEqual([status, stdout]);
    expect(verbose.stderr).toMatch(
      /^Skipped: off \(disabled by .*config\.json:\d+\. Run: switchboard mcp enable off --scope global\)\nbroken: /,
    );
    expect(error).toMatchObject({ code: 'TIMED_OUT', servers: ['broken', 'dying', 'slow'] });
    expect(answer.skipped).toEqual([{ server: 'off', reason: expect.stringContaining('disabled') }]);
    expect(answer.failures.map(({ server, code }: Readonly<Record<string, unknown>>) => [server, code])).toEqual([
      ['broken', 'CONFIG_INVALID'],
      ['dying', 'PROCESS_EXITED'],
      ['slow', 'TIMED_OUT'],
    ]);
  });

  test('delays the list by at most 10 s, and is reported', async () => {
    const testbed = withServers({ good: fixture('well-behaved'), hangs: fixture('hangs-at-initialize') });
    const { status, stdout, stderr } = await testbed.mcp('tools');
    expect([status, stdout]).toEqual([4, expect.stringMatching(/^good\.\w+\(/)]);
    expect(stderr).toMatch(/^hangs: it did not become ready: .* within 10 s.* Run: switchboard mcp test hangs\n$/);
  });

  test('has the timeout of its entry', async () => {
    const testbed = withServers({ hangs: { ...fixture('hangs-at-initialize'), startup_timeout_ms: 300 } });
    expect(await testbed.mcp('tools')).toEqual({
      status: 4,
      stdout: '',
      stderr: expect.stringMatching(/within 300 ms/),
    });
  });

  test('because its file is unreadable fails the list, even if others are listed', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, '{\n  "version": 1, "mcp": {');
    testbed.write('.codex/.mcp.json', { mcpServers: { good: fixture('well-behaved') } });
    const { status, stdout, stderr } = await testbed.mcp('tools');
    expect([status, stdout]).toEqual([7, expect.stringMatching(/^good\.\w+\(/)]);
    expect(stderr).toMatch(/own\/config\.json:2: Not JSON/);
  });
});

describe('an entry that is skipped for its id', () => {
  test('is named and fails the list, even if others are listed', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ 'A B': fixture('well-behaved'), good: fixture('well-behaved') }));
    const one = await testbed.mcp('tools');
    expect([one.status, one.stdout]).toEqual([7, expect.stringMatching(/^good\.\w+\(/)]);
    expect(one.stderr).toMatch(/^"A B": .*own\/config\.json:5: .* is left out: an id must have/);
    testbed.write('project/.mcp.json', { mcpServers: { '': { command: 'x' } } });
    const two = await testbed.mcp('tools');
    expect(two.stderr).toMatch(/^"": .*\n"A B": .*\n2 of 3 could not be queried: "", "A B"\.\n/);
  });

  test('cannot control the terminal with its id, piped or as JSON', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ [HOSTILE]: fixture('well-behaved'), good: fixture('well-behaved') }));
    for (const args of [['tools'], ['tools', '--json'], ['test', '--all'], ['test', '--all', '--json']]) {
      const { status, stdout, stderr } = await testbed.mcp(...args);
      expect([args, status, STEERING.test(stdout + stderr)]).toEqual([args, 7, false]);
    }
  });

  test('is not reported when another server is named', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ 'A B': fixture('well-behaved'), good: fixture('well-behaved') }));
    expect(await testbed.mcp('tools', 'good.*')).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('the set of contacted servers', () => {
  test('is empty if none is configured, which is not a failure', async () => {
    const testbed = newTestbed();
    expect(await testbed.mcp('tools')).toEqual({
      ...{ status: 0, stderr: '' },
      stdout: expect.stringMatching(/^no MCP servers configured\nAdd one: /),
    });
    expect(await runAsJson(testbed, 'tools')).toEqual({
      ...{ status: 0, error: undefined },
      answer: { v: 1, tools: [], leftOut: [], skipped: [], failures: [] },
    });
  });

  test('excludes untrusted ones: they are not started, and the command that trusts them is named', async () => {
    const testbed = newTestbed();
    const marker = testbed.path('started');
    const program = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`;
    testbed.write('project/.mcp.json', { mcpServers: { shady: { command: process.execPath, args: ['-e', program] } } });
    const all = await testbed.mcp('tools');
    expect(all).toEqual({
      status: 0,
      stdout: 'no tools: no server is both enabled and trusted\n',
      stderr: expect.stringMatching(/^Skipped: shady \(untrusted: run switchboard trust /),
    });
    const named = await testbed.mcp('tools', '--server', 'shady');
    expect([named.status, named.stdout, named.stderr]).toEqual([9, '', expect.stringMatching(/switchboard trust/)]);
    expect(testbed.exists('started')).toBe(false);
  });

  test('includes an untrusted one, once, if the user at the terminal agrees', async () => {
    const testbed = newTestbed();
    testbed.write('project/.mcp.json', { mcpServers: { shady: fixture('has-names', 'x', '["only"]') } });
    const args = ['tools', '--server', 'shady'];
    const [yes, no] = await Promise.all(
      ['y', 'n'].map((answer) => answerOnTerminal(testbed, processes, { args, question: '[y/N]', answer })),
    );
    expect([yes?.status, yes?.shown]).toEqual([0, expect.stringMatching(/not trusted[\s\S]*\nshady\.only\(\)\r\n$/)]);
    expect([no?.status, no?.shown]).toEqual([9, expect.not.stringContaining('shady.only')]);
  });

  test("excludes Switchboard's own gateway, and says so with --verbose or when it is named", async () => {
    const own = { command: 'switchboard', args: ['gateway'] };
    const testbed = withServers({ one: fixture('has-names', 'x', '["only"]'), own });
    const reported = "Skipped: own (this is Switchboard's own gateway, which would start itself)\n";
    expect(await testbed.mcp('tools')).toEqual({ status: 0, stdout: 'one.only()\n', stderr: '' });
    expect(await testbed.mcp('tools', '--verbose')).toEqual({ status: 0, stdout: 'one.only()\n', stderr: reported });
    const { status, stderr } = await testbed.mcp('tools', 'own.*');
    expect([status, stderr]).toEqual([
      5,
      expect.stringMatching(/^No tool matches "?own\.\*"?\. Skipped: own \(this is /),
    ]);
  });

  test('is the named server, and an unknown name gets a suggestion', async () => {
    const testbed = withServers({ first: fixture('well-behaved'), second: fixture('dies-at-start') });
    const one = await testbed.mcp('tools', '--server', 'first');
    expect([one.status, one.stderr]).toEqual([0, '']);
    const unknown = await testbed.mcp('tools', '--server', 'frist');
    expect([unknown.status, unknown.stdout, unknown.stderr]).toEqual([
      ...[2, '', expect.stringMatching(/There is no server frist\. Did you mean first\?/)],
    ]);
  });
});

/** They take seconds to start on a slow machine. */
const LONG_TIMEOUT = ['--timeout', '40'];

describe('the tools of the official servers', () => {
  test('are listed with their arguments and badges', async () => {
    const testbed = withServers({ everything: officialServer('everything'), files: officialServer('filesystem', '.') });
    const { status, stdout, stderr } = await testbed.mcp('tools', ...LONG_TIMEOUT);
    expect([status, stderr, stdout.split('\n').length]).toEqual([0, '', 15 + 14 + 1]);
    const lines = [
      'everything.get-sum(a: number, b: number) [read-only, idempotent]  Returns the sum of two numbers',
      'files.edit_file(path: string, edits: {oldText: string, newText: string}[], dryRun?: boolean) [destructive]  Make line-based edits to a text file.',
      'files.list_directory_with_sizes(path: string, sortBy?: "name" | "size") [read-only]  Get a detailed listing of all files and directories in a specified path, including sizes.',
    ];
    expect(lines.filter((line) => !stdout.includes(`${line}\n`))).toEqual([]);
    // Only for clients that support elicitation.
    expect(stdout).toContain('everything.trigger-elicitation-request()');
  });
});

describe('tools that are not offered', () => {
  test('because the config hides them are not listed, except with --json, with the reason', async () => {
    const named = fixture('has-names', 'x', JSON.stringify(['yes', 'no', 'never']));
    const testbed = withServers({ one: { ...named, enabled_tools: ['yes', 'never'], disabled_tools: ['never'] } });
    expect((await testbed.mcp('tools')).stdout).toBe('one.yes()\n');
    expect((await testbed.mcp('tools', 'never')).status).toBe(5);
    const { answer } = await runAsJson(testbed, 'tools');
    expect(answer.tools.map(({ tool, hidden }: Readonly<Record<string, unknown>>) => [tool, hidden])).toEqual([
      ['yes', undefined],
      ['no', 'the config does not allow it'],
      ['never', 'the config denies it'],
    ]);
  });

  test('because no client can use them are counted', async () => {
    const { status, stdout, stderr } = await withServers({ odd: fixture('odd-tools') }).mcp('tools');
    expect([status, stdout.split('\n').length, stderr]).toEqual([
      ...[0, 18 + 1],
      'odd: 6 tools are quarantined because no client can use them. Run: switchboard mcp test odd\n',
    ]);
  });
});

describe('hostile definitions', () => {
  test('cannot control the terminal, piped, on a terminal or as JSON', async () => {
    const testbed = withServers({ one: fixture('odd-tools') });
    const ended = await Promise.all([testbed.mcp('tools'), testbed.mcp('tools', '--json')]);
    for (const { stdout, stderr } of ended) expect(stdout + stderr).not.toMatch(STEERING);
    expect(ended.map(({ status }) => status)).toEqual([0, 0]);
    const { shown } = await testbed.onTerminal(['tools'], []);
    expect(shown.replaceAll('\r\n', '\n')).not.toMatch(STEERING);
  });

  test('in titles, names, descriptions and arguments are shown on one line', async () => {
    const text = JSON.stringify(HOSTILE);
    const tool = `{ title: ${text}, description: ${text}, inputSchema: { type: 'object', properties: { [${text}]: { enum: [${text}] } } }, call: () => text('') }`;
    const testbed = withServers({ one: scripted(`{ tools: { [${text} + '\\n']: ${tool} } }`) });
    const { status, stdout } = await testbed.mcp('tools');
    expect([status, stdout.split('\n').length]).toEqual([0, 2]);
    expect(stdout).not.toMatch(STEERING);
    expect(stdout).toMatch(/^"one\.a\\u001b\[31m/);
  });
});

test('an error as JSON cannot control the terminal', async () => {
  const testbed = withServers({ one: fixture('has-names', 'x', JSON.stringify(['greet\u202e\u009bx'])) });
  const { status, stderr } = await testbed.mcp('tools', 'greetx', '--json');
  expect([status, JSON.parse(stderr).error.near]).toEqual([5, ['one.greet\u202e\u009bx']]);
  expect(stderr).not.toMatch(STEERING);
});

test('a config given with --config is the only one that is read', async () => {
  const testbed = withServers({ other: fixture('dies-at-start') });
  const file = testbed.write('alone.json', ownConfig({ one: fixture('has-names', 'x', '["only"]') }));
  expect(await testbed.mcp('tools', '--config', file)).toEqual({ status: 0, stdout: 'one.only()\n', stderr: '' });
});
