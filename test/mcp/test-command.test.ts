import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type HttpFixtureName, openHttpFixture } from '../fixtures/http/paths.ts';
import { type FixtureName, fixture } from '../fixtures/paths.ts';
import { openEverything } from '../interop/everything-over-http.ts';
import { officialServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { answerOnTerminal } from './asked-on-terminal.ts';
import { GLOBAL, ownConfig, PROJECT, useWorlds, type World } from './command.ts';

vi.setConfig({ testTimeout: 20_000 });

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('a good server', () => {
  verifies('host:cli:test', 'passes every step, each with its time: the official ones, both ways', async () => {
    await using far = await openEverything(processes);
    const world = withServers({
      everything: officialServer('everything'),
      files: officialServer('filesystem', '.'),
      far: { url: far.url },
    });
    const all = await world.mcp('test', '--all');
    expect({ ...all, stdout: withoutTimes(all.stdout, world) }).toEqual({
      status: 0,
      stderr: '',
      stdout: [
        'everything, own/config.json:5',
        '  ✓ start       pid',
        '  ✓ initialize  MCP 2025-11-25, mcp-servers/everything 2.0.0',
        '  ✓ tools       13 tools',
        '  ✓ schemas     for codex: 6 of 13 rewritten',
        'files, own/config.json:11',
        '  ✓ start       pid',
        '  ✓ initialize  MCP 2025-11-25, secure-filesystem-server 0.2.0',
        '  ✓ tools       14 tools',
        '  ✓ schemas     for codex: 5 of 14 rewritten',
        'far, own/config.json:18',
        `  ✓ connect     ${new URL(far.url).host}, Streamable HTTP`,
        '  ✓ initialize  MCP 2025-11-25, mcp-servers/everything 2.0.0',
        '  ✓ tools       13 tools',
        '  ✓ schemas     for codex: 6 of 13 rewritten',
        '',
      ].join('\n'),
    });
    const asItIs = await world.mcp('test', 'everything', '--as', 'none');
    expect([asItIs.status, asItIs.stdout]).toEqual([
      0,
      expect.stringMatching(/schemas .* for none: all as they are\n$/),
    ]);
  });

  test.each([
    ['well-behaved', 'Streamable HTTP', '2025-11-25'],
    ['stateless', 'Streamable HTTP', '2025-11-25'],
    ['modern', 'Streamable HTTP without sessions', '2026-07-28'],
    ['legacy-sse', 'HTTP with SSE', '2024-11-05'],
    ['redirects-same-origin', 'Streamable HTTP', '2025-11-25'],
    ['changes-session-id', 'Streamable HTTP', '2025-11-25'],
    ['closes-idle-sockets', 'Streamable HTTP', '2025-11-25'],
  ] as const)(
    'over HTTP is told by the way it speaks, and nothing is waited for at its end: %s',
    async (name, way, version) => {
      const { world } = await withHttpServer(name);
      const startedAt = performance.now();
      const { servers, status } = await testAsJson(world, 'far');
      expect(status).toBe(0);
      expect(servers[0]).toMatchObject({
        id: 'far',
        ok: true,
        steps: [
          { name: 'connect', result: expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\d+, ${way}$`)) },
          { name: 'initialize', result: `MCP ${version}, http-fixture 1.0.0` },
          { name: 'tools', result: expect.stringMatching(/^\d tools$/) },
          { name: 'schemas', result: 'for codex: all as they are' },
        ],
      });
      expect(performance.now() - startedAt).toBeLessThan(4_000);
    },
  );

  test.each([
    'prints-junk',
    'old-protocol',
    'slow-start',
    'floods-stdout',
    'ignores-term',
    'stubborn-grandchild',
  ] as const)('passes in spite of a bad habit, and is gone after that: %s', async (name) => {
    const { status, servers, stderr } = await testAsJson(withServers({ one: fixture(name) }), 'one');
    expect([status, stderr]).toEqual([0, '']);
    expect(servers[0]).toMatchObject({ ok: true, steps: [{ name: 'start' }, {}, {}, { name: 'schemas' }] });
  });
});

/** What is started, then: status, code, step, the words of the report, and what to do next. */
type Row<N> = readonly [N, readonly string[], number, string, string, RegExp, RegExp];

const STDIO_ROWS: readonly Row<FixtureName>[] = [
  [
    'dies-at-start',
    [],
    4,
    'PROCESS_EXITED',
    'initialize',
    /^it ended with exit code 3: See the README\.$/,
    /stderr say why/,
  ],
  ['hangs-at-initialize', [], 8, 'TIMED_OUT', 'initialize', /one did not answer initialize within 1 s/, /more time/],
  ['asks-before-ready', [], 8, 'TIMED_OUT', 'initialize', /one did not answer initialize within 1 s/, /more time/],
  ['hangs-at-list', [], 8, 'TIMED_OUT', 'tools', /^one did not answer tools\/list within \d+ ms\.$/, /more time/],
  [
    'pages-its-list',
    ['3', '--loop'],
    4,
    'BAD_ANSWER',
    'tools',
    /its cursor leads in a circle/,
    /report it to its authors/,
  ],
  ['pages-its-list', ['3', '--endless'], 4, 'BAD_ANSWER', 'tools', /comes to no end/, /report it to its authors/],
];

const HTTP_ROWS: readonly Row<HttpFixtureName>[] = [
  ['answers-202-to-request', ['--at', 'tools/list'], 4, 'BAD_ANSWER', 'tools', /HTTP 202/, /authors/],
  [
    'answers-401-plain',
    [],
    4,
    'HTTP_FAILED',
    'connect',
    /offers no sign-in.*mcp add far <url> --replace --header Authorization$/,
    /headers/,
  ],
  ['answers-500', [], 4, 'UNREACHABLE', 'initialize', /answered HTTP 500 Internal Server Error\.$/, /address/],
  ['answers-503', [], 4, 'UNREACHABLE', 'initialize', /answered HTTP 503.*Retry-After 1\.$/, /address/],
  [
    'answers-html',
    [],
    4,
    'BAD_ANSWER',
    'initialize',
    /with text\/html \("Welcome"\): is this the address of an MCP server\?$/,
    /./,
  ],
  ['answers-with-wrong-id', ['--at', 'tools/list'], 4, 'BAD_ANSWER', 'tools', /tools\/list/, /authors/],
  [
    'bad-content-type',
    ['--at', 'tools/list'],
    4,
    'BAD_ANSWER',
    'tools',
    /answered tools\/list with text\/plain/,
    /authors/,
  ],
  [
    'cuts-mid-event',
    ['--at', 'tools/list'],
    4,
    'CONNECTION_CLOSED',
    'tools',
    /ended its answer to tools\/list in the middle/,
    /again/,
  ],
  ['cuts-mid-json', ['--at', 'tools/list'], 4, 'CONNECTION_CLOSED', 'tools', /127\.0\.0\.1:\d+/, /again/],
  ['gzip-unasked', ['--at', 'tools/list'], 4, 'BAD_ANSWER', 'tools', /packed its answer \(gzip\)/, /authors/],
  ['hangs-at-headers', [], 8, 'TIMED_OUT', 'connect', /far did not answer initialize within 1 s/, /more time/],
  [
    'hangs-at-headers',
    ['--at', 'tools/list'],
    8,
    'TIMED_OUT',
    'tools',
    /did not answer tools\/list within/,
    /more time/,
  ],
  [
    'never-ends-stream',
    ['--at', 'tools/list'],
    8,
    'TIMED_OUT',
    'tools',
    /did not answer tools\/list within/,
    /more time/,
  ],
  ['slow-drip', ['--at', 'tools/list'], 8, 'TIMED_OUT', 'tools', /did not answer tools\/list within/, /more time/],
  [
    'redirects-elsewhere',
    [],
    4,
    'HTTP_FAILED',
    'connect',
    /sends us to http:\/\/127\.0\.0\.1:\d+.*put http:\S+\/mcp into the config$/,
    /./,
  ],
  [
    'sends-forever',
    ['--at', 'tools/list'],
    4,
    'MESSAGE_TOO_LARGE',
    'tools',
    /more than the limit of 67108864 bytes/,
    /./,
  ],
];

describe('a broken server is told by its step, its words and what to do next', () => {
  for (const [name, options, status, code, step, words, next] of STDIO_ROWS)
    verifies('host:cli:test', `${[name, ...options].join(' ')} ends with ${status} at ${step}`, async () => {
      const world = withServers({ one: { ...fixture(name, ...options), request_timeout_ms: 500 } });
      await expectFailure(world, { id: 'one', status, code, step, words, next });
    });

  for (const [name, options, status, code, step, words, next] of HTTP_ROWS)
    test(`${[name, ...options].join(' ')}, over HTTP, ends with ${status} at ${step}`, async () => {
      const { world } = await withHttpServer(name, ...options);
      const hint = await expectFailure(world, { id: 'far', status, code, step, words, next });
      // There is none.
      expect(hint).not.toContain('stderr');
    });

  test('a command that is not there, and an address at which nobody is', async () => {
    const world = withServers({ gone: { command: '/no/such/program' }, away: { url: 'http://127.0.0.1:9/mcp' } });
    await expectFailure(world, {
      ...{ id: 'gone', status: 4, code: 'SPAWN_FAILED', step: 'start', next: /on PATH/ },
      words: /^Spawn error: command not found: \/no\/such\/program\./,
    });
    await expectFailure(world, {
      ...{ id: 'away', status: 4, code: 'UNREACHABLE', step: 'connect', next: /Check the address/ },
      words: /^127\.0\.0\.1:9: nothing answers at this address \(ECONNREFUSED\)/,
    });
  });

  test('the last words of a server that dies are shown, without the secrets of its entry', async () => {
    const secret = 'very-secret-value-4711';
    const program = 'console.error("key", process.env.API_TOKEN, "\\u001b[31mis refused"); process.exit(1)';
    const world = withServers({
      one: { command: process.execPath, args: ['-e', program], env: { API_TOKEN: secret } },
      two: fixture('dies-at-start'),
    });
    const first = await world.mcp('test', 'one');
    expect(first.status).toBe(4);
    expect(first.stdout).toMatch(/its stderr: key \S+ .*is refused/);
    expect(first.stdout + first.stderr).not.toContain(secret);
    expect(first.stdout + first.stderr).not.toContain('\u001b');
    const second = await world.mcp('test', 'two');
    expect(withoutTimes(second.stdout, world)).toBe(
      [
        `two, own/config.json:${lineOf(world, 'two')}`,
        '  ✓ start       pid',
        '  ✗ initialize  it ended with exit code 3: See the README.',
        '      its stderr: dies-at-start: API_KEY is not set',
        '      its stderr: See the README.',
        '',
      ].join('\n'),
    );
  });
});

describe('tools that no client can be offered', () => {
  verifies('host:cli:test', 'make the test fail with status 6, and the others are counted', async () => {
    const { status, servers, error } = await testAsJson(withServers({ one: fixture('odd-tools') }), 'one');
    expect([status, error]).toEqual([6, expect.objectContaining({ code: 'TOOL_INVALID', server: 'one' })]);
    expect(servers[0]).toMatchObject({ ok: false, steps: [{}, {}, { result: '18 tools' }, { name: 'schemas' }] });
    expect(servers[0].unusable).toHaveLength(6);
    expect(servers[0].unusable[0]).toEqual({ name: 'twin', reason: 'another tool has the same name' });
    // Some of them have no name.
    expect(JSON.stringify(servers[0].unusable)).not.toContain('undefined');
  });

  test.each(['schema-bombs', 'answers-with-text-ids'] as const)(
    'because they are nested beyond all measure are left out too, and are no bug of ours: %s',
    async (name) => {
      const { status, servers } = await testAsJson(withServers({ one: fixture(name) }), 'one');
      expect([status, servers[0].failed]).toEqual([6, undefined]);
      expect(servers[0].unusable.length).toBeGreaterThan(0);
    },
  );
});

describe('which entry is tested', () => {
  verifies('host:cli:test-scope', 'is the one that counts, unless --scope asks for another', async () => {
    const world = withServers({ one: fixture('well-behaved') });
    const { command, args } = fixture('dies-at-start');
    expect((await world.mcp('add', 'one', '--', command, ...args)).status).toBe(0);
    const run = async (...scope: readonly string[]) => {
      const { status, servers } = await testAsJson(world, 'one', ...scope);
      return [status, servers[0].file];
    };
    expect(await run()).toEqual([4, world.path(PROJECT)]);
    expect(await run('--scope', 'effective')).toEqual([4, world.path(PROJECT)]);
    expect(await run('--scope', 'project')).toEqual([4, world.path(PROJECT)]);
    expect(await run('--scope', 'global')).toEqual([0, world.path(GLOBAL)]);
  });

  verifies(
    'host:cli:test-untrusted',
    'is not one that nobody trusts, without a terminal: nothing is started or sent',
    async () => {
      const { world, far } = await withHttpServer('well-behaved');
      world.write('project/.mcp.json', {
        mcpServers: { near: fixture('well-behaved'), strange: { type: 'http', url: far.url } },
      });
      for (const id of ['near', 'strange']) {
        const { status, stdout, stderr } = await world.mcp('test', id);
        expect([status, stdout]).toEqual([9, '']);
        expect(stderr).toMatch(new RegExp(`^${id} \\(.*\\.mcp\\.json:\\d+\\) is not trusted.*Run: switchboard trust`));
      }
      expect(await far.requests()).toEqual([]);
    },
  );

  verifies('host:cli:test-untrusted', 'is asked for on a terminal: yes tests it once, and trusts nothing', async () => {
    const world = newWorld();
    const near = fixture('well-behaved');
    world.write('project/.mcp.json', { mcpServers: { near } });
    const question = 'Only this once? [y/N] ';
    const yes = await answerOnTerminal(world, processes, { args: ['test', 'near'], question, answer: 'y' });
    expect([yes.status, yes.shown]).toEqual([0, expect.stringMatching(/ ✓ schemas /)]);
    expect(yes.shown).toContain(`run ${[near.command, ...near.args].join(' ')}`);
    expect(existsSync(world.path('own/trust.json'))).toBe(false);
    expect((await world.mcp('test', 'near')).status).toBe(9);
    for (const answer of ['n', '', 'yikes']) {
      const no = await answerOnTerminal(world, processes, { args: ['test', 'near'], question, answer });
      expect([no.status, no.shown]).toEqual([9, expect.not.stringContaining('✓')]);
    }
  });

  test('must exist, be switched on and be readable', async () => {
    const world = withServers({
      one: fixture('well-behaved'),
      off: { command: 'x', enabled: false },
      broken: { url: 'ftp://x' },
    });
    const run = async (id: string) => {
      const { status, stdout, stderr } = await world.mcp('test', id);
      return [status, stdout, stderr];
    };
    expect(await run('oen')).toEqual([2, '', expect.stringContaining('Did you mean one?')]);
    expect(await run('off')).toEqual([2, '', expect.stringContaining('Run: switchboard mcp enable off')]);
    expect(await run('broken')).toEqual([
      7,
      '',
      expect.stringMatching(/^broken \(.*config\.json:\d+\) cannot be used: /),
    ]);
  });
});

function withServers(servers: Readonly<Record<string, unknown>>): World {
  const world = newWorld();
  world.write(GLOBAL, ownConfig(servers));
  return world;
}

async function withHttpServer(name: HttpFixtureName, ...options: readonly string[]) {
  const far = await openHttpFixture(name, { options, env: processes.env() });
  closers.push(() => far.close());
  return { far, world: withServers({ far: { url: far.url, request_timeout_ms: 500 } }) };
}

async function testAsJson(world: World, id: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = await world.mcp('test', id, '--json', ...args);
  const { v, servers } = JSON.parse(stdout);
  expect([v, servers.length]).toEqual([1, 1]);
  return { status, servers, stderr, error: stderr === '' ? undefined : JSON.parse(stderr).error };
}

interface Failure {
  readonly id: string;
  readonly status: number;
  readonly code: string;
  readonly step: string;
  readonly words: RegExp;
  readonly next: RegExp;
}

/** The same failure in the report and as the error of the command. Gives what is to be done next. */
async function expectFailure(world: World, { id, status, code, step, words, next }: Failure): Promise<string> {
  const ended = await testAsJson(world, id, '--timeout', '1');
  expect({ ...ended.servers[0].failed, status: ended.status }).toEqual({
    ...{ status, code, step },
    message: expect.stringMatching(words),
  });
  expect(ended.error).toMatchObject({ code, step, server: id, hint: expect.stringMatching(next) });
  return ended.error.hint;
}

/** Without what is different each time: milliseconds, process ids, folders. */
function withoutTimes(text: string, world: World): string {
  return text
    .replaceAll(`${world.folder}/`, '')
    .replaceAll(/^( {2}[✓✗] \w+) +(\d+ ms)? +/gm, (_, head: string) => `${head.padEnd(16)}`)
    .replaceAll(/pid \d+/g, 'pid');
}

function lineOf(world: World, id: string): number {
  const lines = readFileSync(world.path(GLOBAL), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(`"${id}": {`)) + 1;
}
