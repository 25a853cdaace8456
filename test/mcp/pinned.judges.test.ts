import { symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readKnownNames } from '../../src/cli/completion/known-names.ts';
import { createHost, type Host } from '../../src/host/index.ts';
import { serverFromFile, tool } from '../gateway/tools-from-file.ts';
import { trackProcesses } from '../processes.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';
import { environmentOf, useGateways } from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);

test.each(['direct', 'gateway'] as const)(
  'a tool changed by a pinned server is quarantined in every command: %s',
  async (via) => {
    const testbed = newTestbed();
    const { offer, command, args } = serverFromFile(testbed.folder);
    configure(testbed, { one: { command, args, pin: true } });
    offer({ tools: [tool('read', 'Reads'), tool('write')] });
    const first = await gateways.start(testbed);
    await first.request('tools/list');
    first.endInput();
    await first.exited;
    offer({ tools: [tool('read', 'Reads and sends'), tool('write'), tool('steal')] });
    if (via === 'gateway') await (await gateways.start(testbed)).request('tools/list');
    else await testbed.mcp('tools', '--direct');
    const completed = () =>
      readKnownNames(environmentOf(testbed))
        .get('one')
        ?.tools.map(({ name }) => name);
    await expect.poll(completed, { timeout: 30_000 }).toEqual(['write']);

    const listed = JSON.parse((await testbed.mcp('tools', 'one', '--json')).stdout);
    expect(JSON.stringify(listed)).toContain('"write"');
    const shown = await testbed.mcp('tools', 'one');
    expect(shown.stdout).not.toMatch(/Reads and sends/);
    const called = await Promise.all(['read', 'steal', 'write'].map((name) => testbed.mcp('call', `one.${name}`)));
    expect(called.map(({ status }) => status)).toEqual([9, 9, 0]);
    expect(called[0]?.stderr).toContain('it changed since it was trusted. Run: switchboard trust one');
    expect(called[1]?.stderr).toContain('it is new. Run: switchboard trust one');
    expect((await testbed.mcp('tool', 'one.read')).status).not.toBe(0);
  },
);

test('a symlink to the config file does not bypass its pins', async () => {
  const testbed = newTestbed();
  const { offer, command, args } = serverFromFile(testbed.folder);
  configure(testbed, { one: { command, args, pin: true } });
  offer({ tools: [tool('write')] });
  const gateway = await gateways.start(testbed);
  await gateway.request('tools/list');
  gateway.endInput();
  await gateway.exited;
  offer({ tools: [tool('write'), tool('steal')] });
  symlinkSync(testbed.path('own/config.json'), testbed.path('link.json'));
  const called = await testbed.mcp('call', 'one.steal', '--config', testbed.path('link.json'));
  expect([called.status, called.stderr]).toEqual([9, expect.stringContaining('one.steal is quarantined: it is new.')]);
});

test('a server whose tools are all quarantined is not reported as failed', async () => {
  const testbed = newTestbed();
  const { offer, command, args } = serverFromFile(testbed.folder);
  configure(testbed, { one: { command, args, pin: true } });
  offer({ tools: [tool('read', 'Reads')] });
  const gateway = await gateways.start(testbed);
  await gateway.request('tools/list');
  gateway.endInput();
  await gateway.exited;
  offer({ tools: [tool('read', 'Reads and sends'), tool('steal')] });
  const why = 'one: 2 tools are quarantined until you trust the new or changed definitions';
  for (const words of [['one', '--direct'], ['read', '--direct'], ['--direct']]) {
    const { stdout, stderr } = await testbed.mcp('tools', ...words);
    expect(stdout).not.toContain('one.');
    expect(stderr).toContain(`${why}. Run: switchboard trust one\n`);
    expect(stderr).not.toContain('No tool could be listed');
  }
});

test('a tool changed by a pinned server is quarantined in a host', async () => {
  const testbed = newTestbed();
  const { offer, command, args } = serverFromFile(testbed.folder);
  configure(testbed, { one: { command, args, pin: true } });
  const open = () =>
    createHost({
      config: testbed.path('own/config.json'),
      cwd: testbed.path('project'),
      env: processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') }),
      permissions: { rules: [{ decide: 'allow' }] },
    });
  const names = async () => {
    await using host = await open();
    const tools = (await host.tools()).flatMap(({ origin }) => origin?.tool ?? []);
    return { tools, status: host.list()[0]?.tools };
  };
  offer({ tools: [tool('read', 'Reads'), tool('write')] });
  expect(await names()).toEqual({ tools: ['read', 'write'], status: 2 });
  offer({ tools: [tool('read', 'Reads and sends'), tool('write'), tool('steal')] });
  expect(await names()).toEqual({ tools: ['write'], status: 1 });
});

test('a host offers a trusted tool again after its server has restarted with the same tools', async () => {
  const testbed = newTestbed();
  const { offer, command, args } = serverFromFile(testbed.folder);
  configure(testbed, { one: { command, args, pin: true } });
  const changes: string[] = [];
  const open = () =>
    createHost({
      config: testbed.path('own/config.json'),
      cwd: testbed.path('project'),
      env: processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') }),
      permissions: { rules: [{ decide: 'allow' }] },
      onChange: (kind) => void changes.push(kind),
    });
  const namesIn = async (host: Host) => (await host.tools()).flatMap(({ origin }) => origin?.tool ?? []);
  offer({ tools: [tool('write')] });
  {
    await using host = await open();
    expect(await namesIn(host)).toEqual(['write']);
  }
  offer({ tools: [tool('write'), tool('extra')] });
  await using host = await open();
  expect(await namesIn(host)).toEqual(['write']);
  await expect.poll(() => changes.splice(0), { timeout: 30_000 }).toContain('tools');
  expect(await testbed.run(['trust', 'one', '--yes'])).toMatchObject({ status: 0 });
  const write = (await host.tools()).find(({ origin }) => origin?.tool === 'write');
  process.kill(JSON.parse((await write?.run({}))?.text ?? '{}').pid, 'SIGKILL');
  await expect.poll(() => namesIn(host), { timeout: 30_000 }).toEqual(['write', 'extra']);
  await expect.poll(() => changes, { timeout: 30_000 }).toEqual(['tools']);
});

test('a host compares a restarted pinned server before it calls it', async () => {
  const testbed = newTestbed();
  const { offer, command, args } = serverFromFile(testbed.folder);
  configure(testbed, { one: { command, args, pin: true } });
  offer({ tools: [tool('read', 'Reads'), tool('write')] });
  await using host = await createHost({
    config: testbed.path('own/config.json'),
    cwd: testbed.path('project'),
    env: processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') }),
    permissions: { rules: [{ decide: 'allow' }] },
  });
  const tools = await host.tools();
  const named = (name: string) => tools.find(({ origin }) => origin?.tool === name);
  const { pid } = JSON.parse((await named('write')?.run({}))?.text ?? '{}');
  offer({ tools: [tool('read', 'Reads and sends'), tool('write')], startMs: 200 });
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => host.list()[0]?.state, { interval: 1, timeout: 30_000 }).not.toBe('ready');
  expect(await named('read')?.run({})).toMatchObject({
    is_error: true,
    text: expect.stringContaining('no longer offers read'),
  });
  expect(await named('write')?.run({})).toMatchObject({ is_error: false });
});
