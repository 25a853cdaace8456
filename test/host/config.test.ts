import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HostOptions } from '../../src/host/index.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, HARMFUL, hostHarness, textsIn, toolOf } from './host-harness.ts';

const { openHost, newFolder, processes } = hostHarness();
const server = fixture('well-behaved');

describe('an inline config', () => {
  test.each<[string, unknown, string]>([
    ['our own config', { version: 1, mcp: { servers: { one: { transport: 'stdio', ...server } } } }, 'one'],
    ['mcpServers', { mcpServers: { one: server } }, 'one'],
    ['mcp_servers', { mcp_servers: { one: server } }, 'one'],
    ['servers', { servers: { one: server } }, 'one'],
    ['an array', [{ name: 'one', ...server }], 'one'],
    ['one server', server, 'node'],
  ])('in the shape of %s works', async (_shape, config, id) => {
    const host = await openHost({ config: config as NonNullable<HostOptions['config']> });
    expect(await call(host, id, 'echo', { text: 'hi' })).toMatchObject({ is_error: false, text: 'hi' });
    expect({ problems: host.problems, ids: host.list().map((row) => row.id) }).toEqual({ problems: [], ids: [id] });
  });

  verifies(
    'config:own:invalid-entry',
    'with an invalid entry loses only that entry, and reports the reason',
    async () => {
      const host = await openHost({ config: { mcpServers: { good: server, bad: { command: 5 } } } });
      expect(await call(host, 'good', 'echo', { text: 'hi' })).toMatchObject({ text: 'hi' });
      expect(host.list()).toMatchObject([
        { id: 'good', state: 'ready' },
        { id: 'bad', state: 'error', note: 'config: mcpServers.bad.command must be a string, but is a number.' },
      ]);
    },
  );

  test('with a misspelled key reports it, with a suggestion', async () => {
    const bad = { comand: 'node', description: 'keys of other programs are nothing to us' };
    const host = await openHost({ config: { mcpServers: { good: server, bad } } });
    expect(host.problems).toEqual(['mcpServers.bad.comand is not known and has no effect: did you mean "command"?']);
    expect(host.list()).toMatchObject([{ id: 'good' }, { id: 'bad', state: 'error' }]);
  });

  test('with hostile names skips them and affects nothing else', async () => {
    const hostile = ['../../x', '__proto__', 'constructor', 'prototype', '', 'a/b', 'a\\b'];
    const entries = hostile.map((id) => `${JSON.stringify(id)}:{"command":"true","isAdmin":true}`).join(',');
    const config = JSON.parse(`{"mcpServers":{"good":${JSON.stringify(server)},${entries}}}`);
    const host = await openHost({ config });
    expect(host.list().map(({ id }) => id)).toEqual(['good']);
    expect(host.problems).toHaveLength(hostile.length);
    expect(await call(host, 'good', 'echo', { text: 'hi' })).toMatchObject({ text: 'hi' });
    expect('isAdmin' in {}).toBe(false);
    for (const id of hostile) expect(() => host.get(id)).toThrow(/There is no server/);
  });

  test('with control characters in a name shows them escaped', async () => {
    const config = { mcpServers: { good: server, 'x\u001b[2J\u202e': { command: 7 } } };
    const host = await openHost({ config });
    expect(host.problems).toEqual([expect.stringContaining('x\\u001b[2J\\u202e')]);
    expect(textsIn([host.list(), host.problems])).not.toMatch(HARMFUL);
  });

  test.each<[string, unknown]>([
    ['no servers', { foo: {} }],
    ['an object with invalid servers', { mcpServers: 5 }],
    ['a newer version', { version: 99, mcp: { servers: {} } }],
    ['not serializable as JSON', { mcpServers: { one: { command: 5n } } }],
  ])('that is %s is rejected', async (_what, config) => {
    const opened = openHost({ config: config as NonNullable<HostOptions['config']> });
    await expect(opened).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      // No such file exists.
      message: expect.not.stringContaining(join(process.cwd(), 'config')),
    });
  });

  test.each<[string, unknown]>([
    ['config that is a number', { config: 5 }],
    ['only that is not an array', { config: {}, only: 'one' }],
    ['name that is unknown', { config: {}, permision: {} }],
  ])('with an option %s is a usage error', async (_what, options) => {
    await expect(openHost(options as HostOptions)).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('may contain no servers', async () => {
    const host = await openHost({ config: { mcpServers: {} } });
    expect([host.list(), await host.resources.list(), await host.prompts.list()]).toEqual([[], [], []]);
    expect((await host.tools()).every(({ origin }) => origin === undefined)).toBe(true);
  });
});

describe('only', () => {
  test('selects the servers that it names', async () => {
    const config = configOf({ one: server, two: server, three: { command: 'no-such-program-here' } });
    const host = await openHost({ config, only: ['two'] });
    expect(host.list().map(({ id }) => id)).toEqual(['two']);
    expect(await call(host, 'two', 'echo', { text: 'hi' })).toMatchObject({ text: 'hi' });
  });

  test('rejects an unknown name and starts nothing', async () => {
    const config = configOf({ one: server });
    await expect(openHost({ config, only: ['one', 'onw'] })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/no server onw \(configured: one\)/),
    });
    expect(processes.alive()).toEqual([]);
  });
});

describe('a config file', () => {
  test('is read relative to the working folder, which its servers use too', async () => {
    const folder = newFolder();
    writeFileSync(
      join(folder, 'servers.json'),
      JSON.stringify({ mcpServers: { one: fixture('reports-environment') } }),
    );
    const host = await openHost({ config: 'servers.json', cwd: folder });
    const { cwd } = JSON.parse((await call(host, 'one', 'environment')).text);
    expect(cwd).toBe(folder);
    expect(host.get('one').configured).toBe(`${join(folder, 'servers.json')}:1`);
  });

  test('that is missing or unreadable is rejected', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'bad.json'), '{"mcpServers": {');
    for (const config of ['none.json', 'bad.json']) {
      await expect(openHost({ config, cwd: folder })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(join(folder, config)),
      });
    }
    await expect(openHost({ config: 'none.json', cwd: folder })).rejects.toThrow(/^(?!.*--config)/);
  });

  verifies(
    'config:layers:global-path',
    'is not required: the host reads the same files as the command line',
    async () => {
      const folder = newFolder();
      const servers = { one: { transport: 'stdio', ...server } };
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ version: 1, mcp: { servers } }));
      const env = processes.env({ SWITCHBOARD_HOME: folder, HOME: folder });
      const host = await openHost({ env, cwd: folder });
      expect(host.list()).toMatchObject([{ id: 'one', source: 'global' }]);
      expect(await (await toolOf(host, 'one', 'echo')).run({ text: 'hi' })).toMatchObject({ text: 'hi' });
    },
  );

  verifies('config:layers:untrusted', 'of an untrusted project starts nothing', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { evil: fixture('well-behaved') } }));
    const host = await openHost({ cwd: folder, env: processes.env({ HOME: folder }) });
    expect(host.list()).toMatchObject([{ id: 'evil', state: 'disabled' }]);
    expect((await host.tools()).filter(({ origin }) => origin !== undefined)).toEqual([]);
    expect(processes.alive()).toEqual([]);
  });
});
