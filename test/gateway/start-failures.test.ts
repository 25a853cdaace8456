import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { CliProcess } from './cli-process.ts';
import { type TestHome, testHomes } from './run-cli.ts';

const processes = trackProcesses();
const openHome = testHomes(processes);
/** Longer than `CliProcess` waits for anything: a gateway that waits for the bad server again fails the test. */
const PATIENT = { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '60000' };
const IMPATIENT = { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '400' };
const WAIT = { timeout: 30_000 };
const GOOD = ['good__echo', 'good__add', 'good__slow'];

interface Visit {
  readonly instructions: string;
  readonly tools: readonly string[];
  readonly stderr: string;
}

interface VisitOptions {
  readonly args?: readonly string[];
  readonly capabilities?: object;
}

async function hello(home: TestHome, env: Readonly<Record<string, string>>, options: VisitOptions = {}) {
  const { args = [], capabilities = {} } = options;
  const program = switchboard('gateway', ...args);
  const gateway = new CliProcess(program, processes, home.env(env), join(home.folder, 'work'));
  const clientInfo = { name: 'test', version: '1' };
  const answer = await gateway.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
  gateway.send({ method: 'notifications/initialized' });
  return { gateway, instructions: answer.result.instructions };
}

/** A client that initializes, lists the tools and disconnects. */
async function visit(
  home: TestHome,
  env: Readonly<Record<string, string>>,
  options: VisitOptions = {},
): Promise<Visit> {
  const { gateway, instructions } = await hello(home, env, options);
  const { result } = await gateway.request('tools/list');
  gateway.endInput();
  await gateway.exited;
  const tools = result.tools.map(({ name }: { name: string }) => name);
  return { instructions, tools, stderr: gateway.stderr };
}

/** A home in which the catalog of the good server is cached, and the other's is not. */
async function setUp(bad: object) {
  const home = openHome();
  const configure = (servers: object) => home.write('.codex/.mcp.json', { mcpServers: servers });
  configure({ good: fixture('well-behaved') });
  await visit(home, PATIENT);
  configure({ good: fixture('well-behaved'), bad });
  return { home, configure };
}

const keptIn = (home: TestHome): readonly string[] => {
  const folder = join(home.folder, 'own', 'catalogs');
  return existsSync(folder) ? readdirSync(folder) : [];
};

const recordsIn = (home: TestHome): readonly string[] => keptIn(home).filter((name) => name.endsWith('.failure'));

test.each([
  ['hangs', fixture('hangs-at-initialize'), IMPATIENT, 'it had not listed its tools'],
  ['hangs on tools/list', fixture('hangs-at-list'), IMPATIENT, 'it had not listed its tools'],
  ['always exits', fixture('dies-at-start'), PATIENT, 'it ended with exit code 3'],
])('a server that %s is waited for once, and reported from then on', async (_, bad, first, reason) => {
  const { home } = await setUp(bad);
  expect((await visit(home, first)).tools).toEqual(GOOD);
  expect(recordsIn(home)).toHaveLength(1);
  const { tools, instructions } = await visit(home, PATIENT);
  expect(tools).toEqual(GOOD);
  expect(instructions).toContain('Failed to start: bad (');
  expect(instructions).toContain(reason);
  expect(await visit(home, PATIENT)).toMatchObject({ tools, instructions });
});

test('a gateway that is killed while its client waits has already cached its results', async () => {
  const home = openHome();
  home.write('.codex/.mcp.json', {
    mcpServers: { good: fixture('well-behaved'), bad: fixture('hangs-at-initialize') },
  });
  const { gateway } = await hello(home, PATIENT);
  gateway.send({ id: 'never answered', method: 'tools/list' });
  const kinds = ['.catalog', '.failure'];
  await vi.waitFor(
    () =>
      expect(
        keptIn(home)
          .map((name) => extname(name))
          .sort(),
      ).toEqual(kinds),
    WAIT,
  );
  gateway.kill('SIGKILL');
  await gateway.exited;
  const { tools, instructions } = await visit(home, PATIENT);
  expect(tools).toEqual(GOOD);
  expect(instructions).toContain('Failed to start: bad (it had not listed its tools when the client left)');
});

test('a server that is merely slow to start is not reported later', async () => {
  const home = openHome();
  home.write('.codex/.mcp.json', { mcpServers: { bad: fixture('slow-start', '1500') } });
  expect((await visit(home, PATIENT)).tools).toEqual(['bad__echo']);
  expect(recordsIn(home)).toEqual([]);
  expect((await visit(home, PATIENT)).instructions).not.toContain('Failed to start');
});

test('a changed entry is treated as a new server, and is waited for', async () => {
  const { home, configure } = await setUp(fixture('hangs-at-initialize'));
  await visit(home, IMPATIENT);
  configure({ good: fixture('well-behaved'), bad: fixture('slow-start', '1500') });
  expect((await visit(home, PATIENT)).tools).toEqual([...GOOD, 'bad__echo']);
});

test('a server that starts again is no longer reported, and its tools are listed', async () => {
  // Far slower than the time that it has after the client has disconnected.
  const { home } = await setUp(fixture('slow-start', '8000'));
  await visit(home, { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '1' });
  const gateway = new CliProcess(switchboard('gateway'), processes, home.env(), join(home.folder, 'work'));
  await gateway.initialize();
  await gateway.waitFor(({ method }) => method === 'notifications/tools/list_changed');
  gateway.endInput();
  await gateway.exited;
  expect(recordsIn(home)).toEqual([]);
  const { tools, instructions } = await visit(home, PATIENT);
  expect(tools).toEqual([...GOOD, 'bad__echo']);
  expect(instructions).not.toContain('Failed to start');
});

test('changing only --only does not wait for cached or failed servers', async () => {
  const { home } = await setUp(fixture('hangs-at-initialize'));
  await visit(home, IMPATIENT);
  expect((await visit(home, PATIENT, { args: ['--only', 'good'] })).tools).toEqual(GOOD);
  expect((await visit(home, PATIENT, { args: ['--only', 'bad'] })).tools).toEqual([]);
  expect((await visit(home, PATIENT, { args: ['--only', 'bad,good'] })).tools).toEqual(GOOD);
});

test('another client does not wait for a failed server either', async () => {
  const { home } = await setUp(fixture('dies-at-start'));
  await visit(home, PATIENT);
  const { tools, instructions } = await visit(home, PATIENT, { capabilities: { elicitation: {} } });
  expect(tools).toEqual(GOOD);
  expect(instructions).toContain('Failed to start: bad');
  expect(recordsIn(home)).toHaveLength(1);
});
