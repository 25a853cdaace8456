import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type FixtureName, fixture } from '../fixtures/paths.ts';
import { officialServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { answerOnTerminal } from './answer-on-terminal.ts';
import { configure, expectFailure, type Failure, testAsJson } from './test-report.ts';
import { GLOBAL, PROJECT, type Testbed, useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const withServers = (servers: Readonly<Record<string, unknown>>) => configure(newTestbed(), servers);

describe('a working server', () => {
  verifies('host:cli:test', 'passes every step, each with its duration: both official servers', async () => {
    const testbed = withServers({ everything: officialServer('everything'), files: officialServer('filesystem', '.') });
    const all = await testbed.mcp('test', '--all');
    expect({ ...all, stdout: withoutTimes(all.stdout, testbed) }).toEqual({
      status: 0,
      stderr: '',
      stdout: [
        `everything, own/config.json:${lineOf(testbed, 'everything')}`,
        '  ✓ start       pid',
        '  ✓ initialize  MCP 2025-11-25, mcp-servers/everything 2.0.0',
        '  ✓ tools       13 tools',
        '  ✓ schemas     for codex: 6 of 13 rewritten',
        `files, own/config.json:${lineOf(testbed, 'files')}`,
        '  ✓ start       pid',
        '  ✓ initialize  MCP 2025-11-25, secure-filesystem-server 0.2.0',
        '  ✓ tools       14 tools',
        '  ✓ schemas     for codex: 5 of 14 rewritten',
        '',
      ].join('\n'),
    });
    const asItIs = await testbed.mcp('test', 'everything', '--as', 'none');
    expect([asItIs.status, asItIs.stdout]).toEqual([0, expect.stringMatching(/schemas .* for none: all unchanged\n$/)]);
  });

  test('passes despite a bad habit, and is stopped afterward', async () => {
    const habits = ['prints-junk', 'old-protocol', 'floods-stdout', 'ignores-term', 'stubborn-grandchild'] as const;
    const testbeds = habits.map((name) => withServers({ one: fixture(name) }));
    const ended = await Promise.all(testbeds.map((testbed) => testAsJson(testbed, 'one')));
    expect(ended.map(({ status, error, report }) => [status, error, report.ok, report.steps.length])).toEqual(
      Array(habits.length).fill([0, undefined, true, 4]),
    );
  });
});

const NOT_READY = {
  ...{ status: 4, code: 'START_FAILED', step: 'initialize', next: /did not become ready/ },
  words: /^it did not become ready: one did not answer initialize within 1 s\.$/,
  timeoutSeconds: 1,
};
const NO_END = { status: 4, code: 'BAD_ANSWER', step: 'tools', next: /Report this to its authors/ };

const BROKEN: readonly (readonly [FixtureName, readonly string[], Failure])[] = [
  [
    'dies-at-start',
    [],
    {
      ...{ status: 4, code: 'PROCESS_EXITED', step: 'initialize' },
      ...{
        words: /^it ended with exit code 3: dies-at-start: API_KEY is not set\. Set `API_KEY` in its `env`$/,
        next: /Check the last stderr lines/,
      },
    },
  ],
  ['hangs-at-initialize', [], NOT_READY],
  ['requests-before-ready', [], NOT_READY],
  [
    'hangs-at-list',
    [],
    {
      ...{ status: 8, code: 'TIMED_OUT', step: 'tools' },
      ...{ words: /^one did not answer tools\/list within \d+ m?s\.$/, next: /allow more time/ },
      timeoutSeconds: 8,
    },
  ],
  [
    'pages-its-list',
    ['3', '--loop'],
    { ...NO_END, words: /^tools\/list: the server sent a cursor that points back to itself\.$/ },
  ],
  ['pages-its-list', ['3', '--endless'], { ...NO_END, words: /^tools\/list: the server sent more than 1000 pages\.$/ }],
];

describe('all servers', () => {
  test('are tested concurrently, so that several hanging ones take the time of one', async () => {
    const hanging = ['a', 'b', 'c', 'd'].map((id) => [id, fixture('hangs-at-initialize')] as const);
    const testbed = withServers({ ...Object.fromEntries(hanging), good: fixture('well-behaved') });
    const started = performance.now();
    const { status, stdout } = await testbed.mcp('test', '--all', '--timeout', '12', '--json');
    // In sequence, this would take 48 seconds on any machine.
    expect(performance.now() - started).toBeLessThan(45_000);
    const { servers } = JSON.parse(stdout);
    expect([status, servers.map(({ id, ok }: { id: string; ok: boolean }) => [id, ok])]).toEqual([
      4,
      [...hanging.map(([id]) => [id, false]), ['good', true]],
    ]);
  });

  test('include a malformed entry, as a failure', async () => {
    const testbed = withServers({ good: fixture('well-behaved'), odd: { command: 7 } });
    const asText = await testbed.mcp('test', '--all');
    expect([asText.status, asText.stdout]).toEqual([7, expect.stringMatching(/^odd, .*\n {2}✗ config .*command/m)]);
    expect(asText.stderr).toMatch(/^\nodd: .*\n1 of 2 servers work, 1 failed\.\n$/);
    const asJson = await testbed.mcp('test', '--all', '--json');
    expect(JSON.parse(asJson.stdout).servers[1]).toMatchObject({
      ...{ id: 'odd', ok: false, steps: [] },
      failed: { step: 'config', code: 'CONFIG_INVALID', message: expect.stringContaining('command') },
    });
  });

  test('include every entry skipped for its id, as a failure', async () => {
    const testbed = withServers({ good: fixture('well-behaved'), 'A B': fixture('well-behaved') });
    testbed.write('project/.mcp.json', { mcpServers: { ['__proto__']: { command: 'x' }, '../x': { command: 'x' } } });
    const { status, stdout, stderr } = await testbed.mcp('test', '--all');
    expect([status, stdout]).toEqual([
      7,
      expect.stringMatching(/^"A B", .*\n {2}✗ config .*is left out: an id must have/m),
    ]);
    expect(stderr).toMatch(/\n1 of 4 servers work, 3 failed\.\n$/);
    const asJson = await testbed.mcp('test', '--all', '--json');
    const { servers } = JSON.parse(asJson.stdout);
    expect(servers.map(({ id, ok }: { id: string; ok: boolean }) => [id, ok])).toEqual([
      ['good', true],
      ['__proto__', false],
      ['../x', false],
      ['A B', false],
    ]);
  });

  test('fail if all of them are skipped', async () => {
    const testbed = withServers({ 'A B': fixture('well-behaved') });
    const { status, stderr } = await testbed.mcp('test', '--all');
    expect([status, stderr]).toEqual([7, expect.stringMatching(/^"A B": .*is left out: an id must have/)]);
  });

  test('are tested even if one file is unreadable, and that file is a failure', async () => {
    const testbed = withServers({ good: fixture('well-behaved') });
    testbed.write(PROJECT, '{ "mcpServers": ');
    const { status, stdout, stderr } = await testbed.mcp('test', '--all');
    expect([status, stdout]).toEqual([7, expect.stringMatching(/^good, .*\n(?:.*\n)* {2}✓ schemas/)]);
    expect(stderr).toContain('project/.switchboard/config.json:1');
  });
});

describe('a broken server is reported with the step, its message and the next step', () => {
  for (const [name, options, failure] of BROKEN)
    verifies('host:cli:test', `${[name, ...options].join(' ')} exits with status ${failure.status}`, async () => {
      await expectFailure(withServers({ one: fixture(name, ...options) }), 'one', failure);
    });

  test('a command that does not exist', async () => {
    await expectFailure(withServers({ gone: { command: '/no/such/program' } }), 'gone', {
      ...{ status: 4, code: 'SPAWN_FAILED', step: 'start', next: /on PATH/ },
      words: /^Spawn error: command not found: \/no\/such\/program\./,
    });
  });

  test('its stderr is shown, without the secrets of its entry and without control sequences', async () => {
    const secret = 'very-secret-value-4711';
    const program = 'console.error("key", process.env.API_TOKEN, "\\u001b[31mis refused"); process.exit(1)';
    const testbed = withServers({
      one: { command: process.execPath, args: ['-e', program], env: { API_TOKEN: secret } },
      two: fixture('dies-at-start'),
    });
    const first = await testbed.mcp('test', 'one');
    expect([first.status, first.stdout]).toEqual([4, expect.stringMatching(/its stderr: key \S+ .*is refused/)]);
    expect(first.stdout + first.stderr).not.toContain(secret);
    expect(first.stdout + first.stderr).not.toContain('\u001b');
    const second = await testbed.mcp('test', 'two');
    expect(withoutTimes(second.stdout, testbed)).toBe(
      [
        `two, own/config.json:${lineOf(testbed, 'two')}`,
        '  ✓ start       pid',
        '  ✗ initialize  it ended with exit code 3: dies-at-start: API_KEY is not set. Set `API_KEY` in its `env`',
        '      its stderr: dies-at-start: API_KEY is not set',
        '      its stderr: See the README.',
        '',
      ].join('\n'),
    );
  });

  test('among others fails the whole test, with the highest status', async () => {
    const testbed = withServers({
      good: fixture('well-behaved'),
      dying: fixture('dies-at-start'),
      odd: fixture('odd-tools'),
    });
    const { status, stdout, stderr } = await testbed.mcp('test', '--all', '--json');
    expect([status, JSON.parse(stderr).error.message]).toEqual([
      6,
      expect.stringMatching(/^1 of 3 servers work, 2 failed\. /),
    ]);
    expect(JSON.parse(stdout).servers.map(({ ok }: { readonly ok: boolean }) => ok)).toEqual([true, false, false]);
  });
});

describe('tools that cannot be offered to any client', () => {
  verifies('host:cli:test', 'make the test exit with status 6, and the others are counted', async () => {
    const { status, report, error } = await testAsJson(withServers({ one: fixture('odd-tools') }), 'one');
    expect([status, error]).toEqual([6, expect.objectContaining({ code: 'TOOL_INVALID', server: 'one' })]);
    expect(report).toMatchObject({ ok: false, steps: [{}, {}, { result: '18 tools' }, { name: 'schemas' }] });
    expect(report.unusable).toHaveLength(6);
    expect(report.unusable[0]).toEqual({ name: 'twin', reason: 'another tool has the same name' });
    // Some of them have no name, which is what the report shows.
    expect(JSON.stringify(report)).not.toContain('undefined');
  });

  test.each(['schema-bombs', 'answers-with-text-ids'] as const)(
    'because they are nested too deep are left out too, without an internal error: %s',
    async (name) => {
      const { status, report } = await testAsJson(withServers({ one: fixture(name) }), 'one');
      expect([status, report.failed]).toEqual([6, undefined]);
      expect(report.unusable.length).toBeGreaterThan(0);
    },
  );
});

describe('the tested entry', () => {
  verifies('host:cli:test-scope', 'is the effective one, unless --scope selects another', async () => {
    const testbed = withServers({ one: fixture('well-behaved') });
    const { command, args } = fixture('dies-at-start');
    expect((await testbed.mcp('add', 'one', '--', command, ...args)).status).toBe(0);
    const run = async (...scope: readonly string[]) => {
      const { status, report } = await testAsJson(testbed, 'one', ...scope);
      return [status, report.file];
    };
    const ended = await Promise.all([
      run(),
      ...['effective', 'project', 'global'].map((scope) => run('--scope', scope)),
    ]);
    const [project, global] = [testbed.path(PROJECT), testbed.path(GLOBAL)];
    expect(ended).toEqual([
      [4, project],
      [4, project],
      [4, project],
      [0, global],
    ]);
  });

  verifies('host:cli:test-untrusted', 'is not started if it is untrusted and there is no terminal', async () => {
    const testbed = newTestbed();
    const mark = testbed.path('was-started');
    const strange = {
      command: process.execPath,
      args: ['-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`],
    };
    testbed.write('project/.mcp.json', { mcpServers: { strange } });
    const { status, stdout, stderr } = await testbed.mcp('test', 'strange');
    expect([status, stdout, existsSync(mark)]).toEqual([9, '', false]);
    expect(stderr).toMatch(/^strange \(.*\.mcp\.json:\d+\) is not trusted.*Run: switchboard trust/);
  });

  verifies(
    'host:cli:test-untrusted',
    'needs consent on a terminal if untrusted: yes tests it once, and trusts nothing',
    async () => {
      const testbed = newTestbed();
      const near = fixture('well-behaved');
      testbed.write('project/.mcp.json', { mcpServers: { near } });
      const answering = (answer: string) =>
        answerOnTerminal(testbed, processes, { args: ['test', 'near'], question: 'Allow this once? [y/N] ', answer });
      const yes = await answering('y');
      expect([yes.status, stripVTControlCharacters(yes.shown)]).toEqual([0, expect.stringMatching(/ ✓ schemas /)]);
      for (const word of [near.command, ...near.args]) expect(yes.shown).toContain(word);
      expect(yes.shown).toContain(`run ${near.command} `);
      expect(existsSync(testbed.path('own/trust.json'))).toBe(false);
      const refusals = await Promise.all(['n', '', 'yikes'].map(answering));
      expect(refusals.map(({ status, shown }) => [status, shown.includes('✓')])).toEqual(Array(3).fill([9, false]));
      expect((await testbed.mcp('test', 'near')).status).toBe(9);
    },
  );

  test('must exist, be enabled and be readable', async () => {
    const testbed = withServers({
      notes: fixture('well-behaved'),
      off: { command: 'x', enabled: false },
      broken: { url: 'ftp://x' },
    });
    const run = async (id: string) => {
      const { status, stdout, stderr } = await testbed.mcp('test', id);
      return [status, stdout, stderr];
    };
    expect(await run('note')).toEqual([2, '', expect.stringContaining('Did you mean notes?')]);
    expect(await run('off')).toEqual([2, '', expect.stringContaining('Run: switchboard mcp enable off')]);
    expect(await run('broken')).toEqual([
      7,
      '',
      expect.stringMatching(/^broken \(.*config\.json:\d+\) cannot be used: /),
    ]);
  });
});

/** Without values that differ between runs: milliseconds, process ids, folders. */
function withoutTimes(text: string, testbed: Testbed): string {
  return text
    .replaceAll(`${testbed.folder}/`, '')
    .replaceAll(/^( {2}[✓✗] \w+) +(\d+ ms)? +/gm, (_, head: string) => head.padEnd(16))
    .replaceAll(/pid \d+/g, 'pid');
}

function lineOf(testbed: Testbed, id: string): number {
  const lines = readFileSync(testbed.path(GLOBAL), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(`"${id}": {`)) + 1;
}
