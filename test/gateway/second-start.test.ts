import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { CliProcess } from './cli-process.ts';
import type { Message } from './harness.ts';
import { initialized, initializeRequest, list, type Run, run, type TestHome, testHomes, toolNames } from './run-cli.ts';
import { answered, serverFromFile, tool } from './tools-from-file.ts';

const processes = trackProcesses();
const openHome = testHomes(processes);
const LONG = 120_000;
const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const CHANGED = 'notifications/tools/list_changed';

function setUp() {
  const home = openHome();
  const server = serverFromFile(home.folder);
  const { command, args } = server;
  const configure = (extra: object = {}) =>
    home.write('.codex/.mcp.json', { mcpServers: { one: { command, args, ...extra } } });
  configure();
  return { home, server, configure };
}

const talk = (home: TestHome, env: Record<string, string> = {}): Promise<Run> =>
  run(['gateway'], {
    env: home.env(env),
    cwd: join(home.folder, 'work'),
    say: [initializeRequest(), initialized, list],
  });

/** A client that stays connected until it is told to end. */
const start = (home: TestHome): CliProcess => {
  const command = { command: process.execPath, args: [MAIN, 'gateway'] };
  return new CliProcess(command, processes, home.env(), join(home.folder, 'work'));
};

const namesFrom = ({ result }: Message): string[] => result.tools.map(({ name }: { name: string }) => name);

/** Resolves when the config has been read. From then on, every change is noticed. */
const lists = (gateway: CliProcess, ...expected: readonly string[]) =>
  expect.poll(async () => namesFrom(await gateway.request('tools/list'))).toEqual(expected);

/** Sends everything at once, like a client that gets the cached list: the servers had no time to list their tools. */
async function firstList(gateway: CliProcess): Promise<string[]> {
  gateway.post('initialize', initializeRequest().params);
  gateway.send({ method: 'notifications/initialized' });
  return namesFrom(await gateway.request('tools/list'));
}

const preparedIn = (home: TestHome): string[] => {
  const folder = join(home.folder, 'own', 'lists');
  return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')) : [];
};

test(
  'the second start lists the tools even if the server hangs, before starting it',
  async () => {
    const { home, server } = setUp();
    server.offer({ tools: [tool('read')] });
    expect(toolNames(await talk(home))).toEqual(['one__read']);
    expect(preparedIn(home)).toEqual([expect.stringContaining('one__read')]);
    server.offer({ tools: [], mute: true });
    const second = await talk(home);
    expect(second.messages.map(({ id }) => id)).toEqual(['hello', 'list']);
    expect(toolNames(second)).toEqual(['one__read']);
  },
  LONG,
);

test(
  'the current config applies, not the one from when the list was cached',
  async () => {
    const { home, server, configure } = setUp();
    server.offer({ tools: [tool('read'), tool('write')] });
    await talk(home);
    configure({ disabled_tools: ['write'] });
    expect(toolNames(await talk(home))).toEqual(['one__read']);
    home.write('.codex/.mcp.json', { mcpServers: {} });
    expect(toolNames(await talk(home))).toEqual([]);
  },
  LONG,
);

test(
  'a stale list is served, and the client is notified at once that it has changed',
  async () => {
    const { home, server } = setUp();
    server.offer({ tools: [tool('old')] });
    await talk(home);
    server.offer({ tools: [tool('new')] });
    const gateway = start(home);
    expect(await firstList(gateway)).toEqual(['one__old']);
    await gateway.waitFor(({ method }) => method === CHANGED);
    expect(namesFrom(await gateway.request('tools/list'))).toEqual(['one__new']);
    gateway.endInput();
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
    expect(preparedIn(home)).toEqual([expect.stringContaining('one__new')]);
    expect(gateway.stderr).toContain('one: old: gone');
  },
  LONG,
);

test(
  'a list without a hanging server is cached until that server has started',
  async () => {
    const { home, server } = setUp();
    server.offer({ tools: [], mute: true });
    await talk(home, { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '100' });
    expect(preparedIn(home)).toEqual([expect.stringContaining('{"tools":[]}')]);
    server.offer({ tools: [tool('read')] });
    const second = start(home);
    expect(await firstList(second)).toEqual([]);
    await second.waitFor(({ method }) => method === CHANGED);
    second.endInput();
    await second.exited;
    expect(preparedIn(home)).toEqual([expect.stringContaining('one__read')]);
  },
  LONG,
);

test.each([
  ['cannot be created', (home: TestHome) => home.write('own', 'a file')],
  ['is a file', (home: TestHome) => home.write('own/lists', 'a file')],
])(
  'a cache folder that %s is not fatal',
  async (_, spoil) => {
    const { home, server } = setUp();
    spoil(home);
    server.offer({ tools: [tool('read')] });
    const gateway = start(home);
    await gateway.initialize();
    // Wait longer than the cache takes to be written.
    expect(answered(await gateway.call('one__read', { ms: 1_500 }))).toMatchObject({ tool: 'read' });
    gateway.endInput();
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
  },
  LONG,
);

test(
  'the list of a replaced server is not cached for its successor before that has listed',
  async () => {
    const { home, server, configure } = setUp();
    server.offer({ tools: [tool('old')] });
    const gateway = start(home);
    await gateway.initialize();
    await lists(gateway, 'one__old');
    configure({ command: 'no-such-program' });
    await expect.poll(() => gateway.stderr).toContain('restarted one');
    // Long enough for it to be stored, if it were stored.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    gateway.endInput();
    await gateway.exited;
    expect(toolNames(await talk(home))).toEqual([]);
  },
  LONG,
);

test(
  'a config change at the last moment is not mistaken for the config that was read',
  async () => {
    const { home, server } = setUp();
    server.offer({ tools: [tool('old')] });
    const gateway = start(home);
    await gateway.initialize();
    home.write('.codex/.mcp.json', { mcpServers: {} });
    gateway.endInput();
    await gateway.exited;
    expect(toolNames(await talk(home))).toEqual([]);
  },
  LONG,
);

test(
  'the catalog of a server is not cached for its successor, which has not listed yet',
  async () => {
    const { home, server, configure } = setUp();
    server.offer({ tools: [tool('old')] });
    const gateway = start(home);
    await gateway.initialize();
    await lists(gateway, 'one__old');
    const silent = fixture('hangs-at-list');
    configure({ command: silent.command, args: silent.args });
    await expect.poll(() => gateway.stderr).toContain('restarted one');
    // Long enough for it to be stored, if it were stored.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    gateway.endInput();
    await gateway.exited;
    expect(toolNames(await talk(home, { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '300' }))).toEqual([]);
  },
  LONG,
);
