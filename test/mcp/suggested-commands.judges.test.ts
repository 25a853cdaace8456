import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { GLOBAL, ownConfig, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

test('the suggested command enables a server, wherever it is configured', async () => {
  const testbed = newTestbed();
  testbed.write(GLOBAL, ownConfig({ far: { url: 'https://x/mcp', enabled: false } }));
  const file = testbed.write('.codex/.mcp.json', { mcpServers: { other: { url: 'https://x/mcp', disabled: true } } });
  for (const verb of ['test', 'login']) {
    expect((await testbed.mcp(verb, 'far')).stderr).toContain('Run: switchboard mcp enable far --scope global');
    expect((await testbed.mcp(verb, 'other')).stderr).toContain(`Enable it in ${file}:`);
  }
  expect((await testbed.mcp('enable', 'far', '--scope', 'global')).status).toBe(0);
  expect((await testbed.mcp('add', 'off', 'https://x/mcp', '--enabled', 'false')).stderr).toBe('');
});

test('an id that starts with a dash must follow --, and suggestions write it so', async () => {
  const testbed = newTestbed();
  const server = fixture('well-behaved');
  testbed.write(GLOBAL, ownConfig({ '-x': server, '--config': { ...server, enabled: false } }));
  const refused = await testbed.mcp('test', '-x');
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('write -- before it')]);
  expect((await testbed.mcp('test', '--', '--config')).stderr).toContain(
    "Run: switchboard mcp enable --scope global -- '--config'",
  );
  expect((await testbed.mcp('enable', '--scope', 'global', '--', '--config')).status).toBe(0);
  for (const args of [
    ['test', '--', '-x'],
    ['get', '--json', '--', '-x'],
    ['status', '--', '-x'],
    ['tool', '--', '-x.echo'],
    ['call', '--', '-x.echo', 'text=hi'],
    ['remove', '--scope', 'global', '--', '-x'],
  ])
    expect({ args, ...(await testbed.mcp(...args)) }).toMatchObject({ args, status: 0 });
});

test('an error names the config that --scope selects', async () => {
  const testbed = newTestbed();
  await testbed.mcp('add', 'notes', 'https://x/mcp');
  expect((await testbed.mcp('test', 'notes', '--scope', 'global')).stderr).toContain(
    'There is no server notes in the global config.',
  );
});

test.each([
  ['ls', 'list'],
  ['rm', 'remove'],
  ['lst', 'list'],
])('instead of %s it suggests %s', async (typed, meant) => {
  const { status, stderr } = await newTestbed().mcp(typed);
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining(`There is no switchboard mcp ${typed}. Did you mean switchboard mcp ${meant}?`),
  ]);
});

test.each([
  [['--config='], 2, '--config needs the path of a file.'],
  [['--config', 'a', '--config=b'], 7, 'a: This file, named by --config, does not exist.'],
  [['--config', 'nowhere.json'], 7, 'nowhere.json: This file, named by --config, does not exist.'],
])('list %j exits with %d', async (args, status, words) => {
  expect(await newTestbed().mcp('list', ...args)).toMatchObject({
    ...{ status, stdout: '' },
    stderr: expect.stringContaining(words),
  });
});

test('remove says that a sign-in is still stored, and how to remove it', async () => {
  const testbed = newTestbed();
  const url = 'https://x/mcp';
  await testbed.mcp('add', 'notes', url);
  await testbed.mcp('add', 'open', url);
  testbed.write('own/mcp-auth.json', { version: 1, servers: { notes: { access_token: 'geheim', url } } });
  expect((await testbed.mcp('remove', 'notes')).stderr).toBe(
    'Warning: its sign-in is still stored. To remove it, run switchboard mcp logout notes\n',
  );
  expect((await testbed.mcp('remove', 'open')).stderr).toBe('');
});

test('every suggested command includes the given config file', async () => {
  const testbed = newTestbed();
  const file = testbed.write('a.json', {
    mcpServers: { one: fixture('offers-everything'), two: fixture('odd-tools') },
  });
  const runs = [
    ['mcp', 'tool', 'one.zzzzzzzzzz'],
    ['mcp', 'tool', 'one'],
    ['mcp', 'tools', 'zzzzzzzzzz'],
    ['mcp', 'tools', '--server', 'two'],
    ['mcp', 'call', 'one.zzzzzzzzzz'],
    ['mcp', 'call', 'one.add', 'a=x'],
    ['mcp', 'test', 'zzzzzzzzzz'],
    ['mcp', 'tool', 'zzzzzzzzzz'],
    ['mcp', 'prompts', 'get', 'one'],
    ['mcp', 'prompts', 'get', 'one.zzzzzzzzzz'],
    ['mcp', 'resources', 'read', 'one', 'zzzzzzzzzz://z'],
    ['mcp', 'resources', 'read', 'zzzzzzzzzz://z'],
    ['gateway', '--explain', 'one.zzzzzzzzzz'],
  ];
  const reported: unknown[] = [];
  for (const run of runs) {
    const args = [...run, '--config', file];
    const { stdout, stderr } = await testbed.run(args);
    const suggested = `${stdout}${stderr}`.match(/switchboard (?:mcp|gateway|trust) [^\n]*/gu) ?? [];
    reported.push([
      run.join(' '),
      suggested.length > 0,
      suggested.filter((text) => !text.includes(`--config ${file}`)),
    ]);
  }
  expect(reported).toEqual(runs.map((run) => [run.join(' '), true, []]));
}, 60_000);
