import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { GLOBAL, ownConfig, useTestbeds } from './testbed.ts';
import { useGateways } from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);

test('of two --config files the first takes precedence, and both are read', async () => {
  const testbed = newTestbed();
  const [good, dying] = [fixture('well-behaved'), fixture('dies-at-start')];
  const a = testbed.write('a.json', { mcpServers: { one: good } });
  const b = testbed.write('b.json', { mcpServers: { one: dying, two: good } });
  const check = async (...files: readonly string[]) => {
    const config = files.flatMap((file) => ['--config', file]);
    const { status, stdout } = await testbed.run(['gateway', '--check', '--json', ...config]);
    const { servers } = JSON.parse(stdout);
    return [status, servers.map(({ id, state, configured }: Record<string, string>) => [id, state, configured])];
  };
  expect(await check(a, b)).toEqual([
    0,
    [
      ['one', 'ready', `${a}:3`],
      ['two', 'ready', expect.stringContaining(b)],
    ],
  ]);
  expect(await check(b, a)).toEqual([
    4,
    [
      ['one', 'error', `${b}:3`],
      ['two', 'ready', expect.stringContaining(b)],
    ],
  ]);
});

test('mcp status names every config file of a gateway', async () => {
  const testbed = newTestbed();
  const a = testbed.write('a.json', { mcpServers: { one: fixture('well-behaved') } });
  const b = testbed.write('b.json', { mcpServers: { two: fixture('well-behaved') } });
  const { pid } = await gateways.start(testbed, { args: ['gateway', '--config', a, '--config', b] });
  const { stdout } = await testbed.mcp('status', '--json');
  const [running] = JSON.parse(stdout).running;
  expect(running).toMatchObject({ pid, configFile: a, otherConfigFiles: [b] });
  expect((await testbed.mcp('status')).stdout).toContain(`config ${a}, ${b}`);
});

test('list and tools read several --config files, and the first one wins', async () => {
  const testbed = newTestbed();
  const own = { mcpServers: { one: fixture('well-behaved'), both: fixture('well-behaved') } };
  const a = testbed.write('a.json', own);
  const b = testbed.write('b.toml', '[mcp_servers.both]\ncommand = "other"\n[mcp_servers.two]\ncommand = "other"\n');
  const listed = async (...files: readonly string[]) => {
    const { stdout } = await testbed.mcp('list', '--json', ...files.map((file) => `--config=${file}`));
    const servers: readonly { id: string; file: string }[] = JSON.parse(stdout).servers;
    return Object.fromEntries(servers.map(({ id, file }) => [id, file]));
  };
  expect(await listed(a, b)).toEqual({ one: a, both: a, two: b });
  expect(await listed(b, a)).toEqual({ one: a, both: b, two: b });
  const tools = await testbed.run(['tools', 'one.*', '--config', b, '--config', a]);
  expect(tools).toMatchObject({ status: 0, stdout: expect.stringContaining('one.echo') });
});

test('an option that is allowed once is rejected when it is repeated', async () => {
  const testbed = newTestbed();
  for (const args of [
    ['gateway', '--only', 'a', '--only', 'b'],
    ['trust', 'x', '--config', 'a', '--config', 'b'],
  ])
    expect(await testbed.run(args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('may be given only once'),
    });
});

test('tool names that the server does not have are reported by --check, --explain and mcp test', async () => {
  const testbed = newTestbed();
  const filter = { enabled_tools: ['e*', 'raed'], disabled_tools: ['delete*'] };
  testbed.write(GLOBAL, ownConfig({ one: { ...fixture('well-behaved'), ...filter } }));
  for (const args of [
    ['gateway', '--check'],
    ['gateway', '--explain', 'one'],
    ['mcp', 'test', 'one'],
  ]) {
    const { status, stdout } = await testbed.run(args);
    expect([status, stdout]).toEqual([0, expect.stringContaining('enabled_tools: the server has no tool raed')]);
    expect(stdout).toContain('disabled_tools: the server has no tool "delete*"');
    expect(stdout).not.toContain('the server has no tool "e*"');
  }
});

test('list and status use the same word for where a server is configured', async () => {
  const testbed = newTestbed();
  testbed.write('project/.mcp.json', { mcpServers: { near: { command: 'a' } } });
  testbed.write('.codex/.mcp.json', { mcpServers: { far: { command: 'b' } } });
  testbed.write(GLOBAL, ownConfig({ own: { command: 'c' }, off: { command: 'd' } }));
  expect(await testbed.mcp('disable', 'off', '--scope', 'project')).toMatchObject({ status: 0, stderr: '' });
  const sources = async (verb: string) => {
    const answer = JSON.parse((await testbed.mcp(verb, '--json')).stdout);
    const { servers } = answer.configured ?? answer;
    return servers.map(({ id, source }: Record<string, string>) => [id, source]);
  };
  const expected = [
    ['off', 'global'],
    ['near', 'mcp-json'],
    ['own', 'global'],
    ['far', 'codex'],
  ];
  expect(await sources('list')).toEqual(expected);
  expect(await sources('status')).toEqual(expected);
});
