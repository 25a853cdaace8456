import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { CliProcess } from './cli-process.ts';
import type { Message } from './harness.ts';
import { call, initialized, initializeRequest, list, run, type TestHome, testHomes, toolNames } from './run-cli.ts';

const processes = trackProcesses();
const openHome = testHomes(processes);
const LONG = 120_000;
const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const GLOBAL = 'own/config.json';
const PROJECT = 'work/.switchboard/config.json';

const servers = { one: fixture('offers-everything', 'one'), two: fixture('offers-everything', 'two') };
const VIEWS = { review: { servers: ['one'], tools: { deny: ['*.die'] } }, work: { tools: { allow: ['*.work'] } } };
const REVIEW_TOOLS = ['one__heard', 'one__log', 'one__touch', 'one__work'];

function setUp(views: object = VIEWS): TestHome {
  const home = openHome();
  home.write(GLOBAL, { version: 1, mcp: { servers }, views });
  return home;
}

const start = (home: TestHome, args: readonly string[], say: readonly unknown[] = []) =>
  run(args, { env: home.env(), cwd: join(home.folder, 'work'), say });

const HELLO = [initializeRequest(), initialized, list];

describe('gateway --view on stdio', () => {
  test(
    'shows only the view, starts only its servers, and prepares a list of its own',
    async () => {
      const home = setUp();
      const say = [...HELLO, call('two__work')];
      const first = await start(home, ['gateway', '--view', 'review'], say);
      expect(toolNames(first)).toEqual(REVIEW_TOOLS);
      expect(first.messages.find(({ id }) => id === 'call')?.error?.message).toContain('not available in this view');
      expect(first.stderr).toContain('Started 1 child server(s): one');
      expect(first.stderr).not.toContain('two');
      // The second start of each view may serve the prepared list, which must be its own.
      expect(toolNames(await start(home, ['gateway', '--view', 'work'], HELLO))).toEqual(['one__work', 'two__work']);
      expect(toolNames(await start(home, ['gateway', '--view', 'review'], HELLO))).toEqual(REVIEW_TOOLS);
      expect(toolNames(await start(home, ['gateway'], HELLO))).toHaveLength(10);
      expect(toolNames(await start(home, ['gateway', '--view', 'work'], HELLO))).toEqual(['one__work', 'two__work']);
      home.write(GLOBAL, { version: 1, mcp: { servers }, views: { review: { tools: { allow: ['one.work'] } } } });
      expect(toolNames(await start(home, ['gateway', '--view', 'review'], HELLO))).toEqual(['one__work']);
    },
    LONG,
  );

  test(
    'follows changes of the config',
    async () => {
      const home = setUp();
      const command = { command: process.execPath, args: [MAIN, 'gateway', '--view', 'review'] };
      const gateway = new CliProcess(command, processes, home.env(), join(home.folder, 'work'));
      const names = async () =>
        (await gateway.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
      await gateway.request('initialize', initializeRequest().params);
      gateway.send({ method: 'notifications/initialized' });
      expect(await names()).toEqual(REVIEW_TOOLS);
      home.write(GLOBAL, { version: 1, mcp: { servers }, views: { review: { tools: { allow: ['two.work'] } } } });
      await expect.poll(names, { timeout: 30_000 }).toEqual(['two__work']);
      await gateway.waitFor(({ method }: Message) => method === 'notifications/tools/list_changed');
      home.write(GLOBAL, { version: 1, mcp: { servers } });
      await expect.poll(names, { timeout: 30_000 }).toEqual([]);
      gateway.endInput();
      await gateway.exited;
    },
    LONG,
  );

  test('an unknown or invalid view ends the gateway before it starts a server', async () => {
    const home = setUp({ ...VIEWS, broken: { tools: 1 } });
    const unknown = await start(home, ['gateway', '--view', 'reviews']);
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean review?')]);
    const broken = await start(home, ['gateway', '--view', 'broken']);
    expect([broken.status, broken.stderr]).toEqual([
      7,
      expect.stringMatching(/config\.json:\d+: views\.broken\.tools/),
    ]);
    const { status, stderr } = await start(home, ['gateway', '--view', 'review', '--', 'x']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--view applies to servers from a config')]);
  });
});

test(
  'gateway --check --view checks only the view, and reports patterns without a tool',
  async () => {
    const home = setUp({ review: { servers: ['one'], tools: { deny: ['one.dye'] } } });
    const { status, stdout } = await start(home, ['gateway', '--check', '--json', '--view', 'review']);
    const { servers: checked, problems } = JSON.parse(stdout);
    expect(checked.map(({ id, tools }: { id: string; tools: number }) => [id, tools])).toEqual([['one', 5]]);
    expect(problems).toMatchObject([{ message: 'views.review.tools.deny: no tool matches one.dye.' }]);
    expect(status).toBe(4);
  },
  LONG,
);

test(
  'gateway --explain --view explains only what the view shows',
  async () => {
    const home = setUp();
    const hidden = await start(home, ['gateway', '--explain', 'one.die', '--view', 'review']);
    expect(hidden.stdout).toContain('hidden: the view does not show it');
    const { status, stderr } = await start(home, ['gateway', '--explain', 'two', '--view', 'review']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('There is no server two')]);
  },
  LONG,
);

test(
  'mcp list and mcp tools show one view',
  async () => {
    const home = setUp();
    const listed = JSON.parse((await start(home, ['mcp', 'list', '--view', 'review', '--json'])).stdout);
    expect([listed.view, listed.servers.map(({ id }: { id: string }) => id)]).toEqual(['review', ['one']]);
    const { tools } = JSON.parse((await start(home, ['mcp', 'tools', '--view', 'work', '--json'])).stdout);
    expect(tools.map(({ server, tool }: Record<string, string>) => `${server}.${tool}`)).toEqual([
      'one.work',
      'two.work',
    ]);
    const failed = async (...args: readonly string[]) => {
      const { status, stderr } = await start(home, ['mcp', ...args]);
      return [status, stderr];
    };
    expect(await failed('tools', '--view', 'review', '--server', 'two')).toEqual([
      9,
      expect.stringContaining('two is not in the view review.'),
    ]);
    expect(await failed('list', '--view', 'nothing')).toEqual([2, expect.stringContaining('There is no view nothing')]);
    expect(await failed('list', '--view', 'review', '--scope', 'global')).toEqual([
      2,
      expect.stringContaining('--view'),
    ]);
    const completed = await start(home, ['completion', '--words', '3', '--', 'switchboard', 'gateway', '--view', '']);
    expect(completed.stdout).toBe('review\nwork\n');
  },
  LONG,
);

test(
  'doctor names the views whose servers do not exist',
  async () => {
    const home = setUp({ review: { servers: ['tow'] } });
    const { stdout } = await start(home, ['doctor', '--timeout', '30']);
    expect(stdout).toContain('views.review.servers[0]: there is no server tow. Did you mean two?');
  },
  LONG,
);

test(
  'trust shows the views of a project, and they have an effect once they are trusted',
  async () => {
    const home = setUp();
    const file = home.write(PROJECT, { version: 1, views: { review: { servers: ['two'] } } });
    const ids = async () => {
      const { stdout } = await start(home, ['mcp', 'list', '--view', 'review', '--json']);
      return JSON.parse(stdout).servers.map(({ id }: { id: string }) => id);
    };
    expect(await ids()).toEqual(['one']);
    const refused = await start(home, ['trust']);
    expect([refused.status, refused.stdout]).toEqual([9, `view review, ${file}:4\n  servers     two\n`]);
    const trusted = await start(home, ['trust', '--yes']);
    expect(trusted.stdout).toContain('Trusted 1 view. Switchboard asks again if one of them changes.');
    // What both definitions show: nothing.
    expect(await ids()).toEqual([]);
    expect((await start(home, ['untrust'])).stdout).toContain(`views.review of ${file}`);
    expect(await ids()).toEqual(['one']);
  },
  LONG,
);
