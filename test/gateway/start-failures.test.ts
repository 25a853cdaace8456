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
const LONG_TIMEOUT = { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '60000' };
const SHORT_TIMEOUT = { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '400' };
const WAIT = { timeout: 30_000 };
const GOOD = ['good__echo', 'good__add', 'good__slow'];

interface ClientRun {
  readonly instructions: string;
  readonly tools: readonly string[];
  readonly stderr: string;
}

interface ClientRunOptions {
  readonly args?: readonly string[];
  readonly capabilities?: object;
}

async function hello(home: TestHome, env: Readonly<Record<string, string>>, options: ClientRunOptions = {}) {
  const { args = [], capabilities = {} } = options;
  const program = switchboard('gateway', ...args);
  const gateway = new CliProcess(program, processes, home.env(env), join(home.folder, 'work'));
  const clientInfo = { name: 'test', version: '1' };
  const answer = await gateway.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
  gateway.send({ method: 'notifications/initialized' });
  return { gateway, instructions: answer.result.instructions };
}

/** A client that initializes, lists the tools and disconnects. */
async function runClient(
  home: TestHome,
  env: Readonly<Record<string, string>>,
  options: ClientRunOptions = {},
): Promise<ClientRun> {
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
  await runClient(home, LONG_TIMEOUT);
  configure({ good: fixture('well-behaved'), bad });
  return { home, configure };
}

const keptIn = (home: TestHome): readonly string[] => {
  const folder = join(home.folder, 'own', 'catalogs');
  return existsSync(folder) ? readdirSync(folder) : [];
};

const recordsIn = (home: TestHome): readonly string[] => keptIn(home).filter((name) => name.endsWith('.failure'));

test.each([
  ['hangs', fixture('hangs-at-initialize'), SHORT_TIMEOUT, 'it had not listed its tools'],
  ['hangs on tools/list', fixture('hangs-at-list'), SHORT_TIMEOUT, 'it had not listed its tools'],
  ['always exits', fixture('dies-at-start'), LONG_TIMEOUT, 'it ended with exit code 3'],
])('a server that %s is waited for once, and reported from then on', async (_, bad, first, reason) => {
  const { home } = await setUp(bad);
  expect((await runClient(home, first)).tools).toEqual(GOOD);
  expect(recordsIn(home)).toHaveLength(1);
  const { tools, instructions } = await runClient(home, LONG_TIMEOUT);
  expect(tools).toEqual(GOOD);
  expect(instructions).toContain('Failed to start: bad (');
  expect(instructions).toContain(reason);
  expect(await runClient(home, LONG_TIMEOUT)).toMatchObject({ tools, instructions });
});

test('a gateway that is killed while its client waits has already cached its results', async () => {
  const home = openHome();
  home.write('.codex/.mcp.json', {
    mcpServers: { good: fixture('well-behaved'), bad: fixture('hangs-at-initialize') },
  });
  const { gateway } = await hello(home, LONG_TIMEOUT);
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
  const { tools, instructions } = await runClient(home, LONG_TIMEOUT);
  expect(tools).toEqual(GOOD);
  expect(instructions).toContain('Failed to start: bad (it had not listed its tools when the client left)');
});

test('a server that is merely slow to start is not reported later', async () => {
  const home = openHome();
  home.write('.codex/.mcp.json', { mcpServers: { bad: fixture('slow-start', '1500') } });
  expect((await runClient(home, LONG_TIMEOUT)).tools).toEqual(['bad__echo']);
  expect(recordsIn(home)).toEqual([]);
  expect((await runClient(home, LONG_TIMEOUT)).instructions).not.toContain('Failed to start');
});

test('a changed entry is treated as a new server, and is waited for', async () => {
  const { home, configure } = await setUp(fixture('hangs-at-initialize'));
  await runClient(home, SHORT_TIMEOUT);
  configure({ good: fixture('well-behaved'), bad: fixture('slow-start', '1500') });
  expect((await runClient(home, LONG_TIMEOUT)).tools).toEqual([...GOOD, 'bad__echo']);
});

test('a server that starts again is no longer reported, and its tools are listed', async () => {
  // Far slower than the time that it has after the client has disconnected.
  const { home } = await setUp(fixture('slow-start', '8000'));
  await runClient(home, { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '1' });
  const gateway = new CliProcess(switchboard('gateway'), processes, home.env(), join(home.folder, 'work'));
  await gateway.initialize();
  await gateway.waitFor(({ method }) => method === 'notifications/tools/list_changed');
  gateway.endInput();
  await gateway.exited;
  expect(recordsIn(home)).toEqual([]);
  const { tools, instructions } = await runClient(home, LONG_TIMEOUT);
  expect(tools).toEqual([...GOOD, 'bad__echo']);
  expect(instructions).not.toContain('Failed to start');
});

test('changing only --only does not wait for cached or failed servers', async () => {
  const { home } = await setUp(fixture('hangs-at-initialize'));
  await runClient(home, SHORT_TIMEOUT);
  expect((await runClient(home, LONG_TIMEOUT, { args: ['--only', 'good'] })).tools).toEqual(GOOD);
  expect((await runClient(home, LONG_TIMEOUT, { args: ['--only', 'bad'] })).tools).toEqual([]);
  expect((await runClient(home, LONG_TIMEOUT, { args: ['--only', 'bad,good'] })).tools).toEqual(GOOD);
});

test('another client does not wait for a failed server either', async () => {
  const { home } = await setUp(fixture('dies-at-start'));
  await runClient(home, LONG_TIMEOUT);
  const { tools, instructions } = await runClient(home, LONG_TIMEOUT, { capabilities: { elicitation: {} } });
  expect(tools).toEqual(GOOD);
  expect(instructions).toContain('Failed to start: bad');
  expect(recordsIn(home)).toHaveLength(1);
});
