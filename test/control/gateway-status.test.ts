import { describe, expect, test } from 'vitest';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import type { RunningInstance } from '../../src/control/socket/running-instances.ts';
import type { RunningStatus, ServerDetail } from '../../src/control/status/running-status.ts';
import { createHost } from '../../src/host/index.ts';
import { openTestbed } from '../codex-server/testbed.ts';
import { fixture } from '../fixtures/paths.ts';
import { useAttached } from '../gateway/attached-client.ts';
import { runAsJson } from '../mcp/listing-testbed.ts';
import { configure } from '../mcp/test-report.ts';
import { GLOBAL, useTestbeds } from '../mcp/testbed.ts';
import { addressOf, environmentOf, useGateways } from '../mcp/via-gateway-testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);
const attach = useAttached();
const WITHIN = { timeout: 30_000, interval: 20 };
const LONG_TIMEOUT = { timeoutMs: 30_000 };

const listOf = async (running: RunningInstance) =>
  (await sendControlRequest(running, 'mcp.list', undefined, LONG_TIMEOUT)) as RunningStatus;
const detailOf = async (running: RunningInstance, id: string) =>
  (await sendControlRequest(running, 'mcp.get', { id }, LONG_TIMEOUT)) as ServerDetail;

describe('the status of a running gateway', () => {
  verifies('host:status:during-call', 'is available during sixteen pending calls, and counts them', async () => {
    const harness = configure(newTestbed(), { one: fixture('answers-after-cancel') });
    const gateway = await gateways.start(harness);
    await gateway.request('tools/list');
    const running = await addressOf(gateway, harness);
    const ids = Array.from({ length: 16 }, () => gateway.post('tools/call', { name: 'one__wait', arguments: {} }));
    const row = async () => (await listOf(running)).servers[0];
    await expect.poll(row, WITHIN).toMatchObject({ state: 'ready', calls: 0, underWay: 16 });
    expect(await detailOf(running, 'one')).toMatchObject({ state: 'ready', calls: 0, underWay: 16, restarts: 0 });
    const { status, stdout } = await harness.mcp('status');
    expect({ status, row: stdout.split('\n')[2]?.split(/ {2,}/) }).toMatchObject({
      status: 0,
      row: ['one', 'stdio', 'global', 'yes', 'ready', '3', expect.stringMatching(/16/), '-'],
    });
    for (const id of ids) gateway.send({ method: 'notifications/cancelled', params: { requestId: id } });
    await expect.poll(row, WITHIN).toMatchObject({ underWay: 0 });
  });

  test('counts the calls of all clients with their median time, without our own requests', async () => {
    const harness = configure(newTestbed(), { one: fixture('well-behaved') });
    const gateway = await gateways.start(harness);
    await gateway.request('tools/list');
    const running = await addressOf(gateway, harness);
    expect((await listOf(running)).servers[0]).not.toHaveProperty('p50Ms');
    for (let count = 0; count < 3; count++) await gateway.call('one__slow', { ms: 80 });
    await harness.mcp('tools', 'one');
    await harness.mcp('call', 'one.echo', 'text=x');
    await harness.mcp('call', 'one.slow', 'ms=80');
    const [row] = (await listOf(running)).servers;
    expect(row).toMatchObject({ calls: 5, underWay: 0 });
    // Four of the five were idle.
    expect(row?.p50Ms).toBeGreaterThan(60);
  });

  test('keeps the last error after the server recovers, and the time of the reconnect', async () => {
    const harness = configure(newTestbed(), { mortal: fixture('dies-mid-call') });
    const gateway = await gateways.start(harness);
    await gateway.request('tools/list');
    const running = await addressOf(gateway, harness);
    const before = await detailOf(running, 'mortal');
    expect(before).toMatchObject({ state: 'ready', restarts: 0, lastWords: [], lastConnectedAt: expect.any(Number) });
    expect(before).not.toHaveProperty('lastError');
    await gateway.call('mortal__die');
    await gateway.call('mortal__echo', { text: 'again' });
    const after = await detailOf(running, 'mortal');
    expect(after).toMatchObject({
      state: 'ready',
      restarts: 1,
      calls: 2,
      lastError: { code: 'PROCESS_EXITED', message: expect.stringContaining('out of cheese') },
    });
    expect(after).not.toHaveProperty('note');
    expect(after.where).not.toBe(before.where);
    expect(after.lastConnectedAt).toBeGreaterThanOrEqual(after.lastError?.at ?? Number.NaN);
    expect(after.lastError?.at).toBeGreaterThan(before.lastConnectedAt ?? Number.NaN);
  });

  test('names its config file and its clients, but not attached clients', async () => {
    const harness = configure(newTestbed(), { other: fixture('well-behaved') });
    const file = harness.write('mine.json', { mcpServers: { one: fixture('well-behaved') } });
    const gateway = await gateways.start(harness, { args: ['gateway', '--config', file] });
    const running = await addressOf(gateway, harness);
    await attach(running, 'one');
    expect(await listOf(running)).toMatchObject({
      ...{ v: 1, role: 'gateway', pid: gateway.pid, cwd: harness.path('project') },
      ...{ configFile: file, clients: ['test 1'], servers: [{ id: 'one', source: 'explicit' }], problems: [] },
    });
  });

  test('of a gateway for one command shows that server with its tools and no file', async () => {
    const harness = newTestbed();
    const { command, args } = fixture('well-behaved');
    const gateway = await gateways.start(harness, { args: ['--', command, ...args] });
    const running = await addressOf(gateway, harness);
    await gateway.call('slow', { ms: 10 });
    expect((await listOf(running)).servers).toEqual([
      {
        ...{ id: 'node', transport: 'stdio', source: 'command-line', enabled: true, state: 'ready' },
        ...{ tools: 3, calls: 1, underWay: 0, p50Ms: expect.any(Number) },
      },
    ]);
    const { toolList } = await detailOf(running, 'node');
    expect(toolList.map(({ name }) => name)).toEqual(['echo', 'add', 'slow']);
    await expect(sendControlRequest(running, 'mcp.get', { id: 'other' }, LONG_TIMEOUT)).rejects.toMatchObject({
      data: { rpcCode: -32602 },
    });
  });
});

test('several gateways, a host and a codex server are listed separately, the oldest first', async () => {
  const harness = configure(newTestbed(), { one: fixture('well-behaved') });
  const file = harness.write('mine.json', { mcpServers: { mine: fixture('well-behaved') } });
  const first = await gateways.start(harness);
  const second = await gateways.start(harness, { args: ['gateway', '--config', file] });
  const { command, args } = fixture('well-behaved');
  const third = await gateways.start(harness, { args: ['--', command, ...args] });
  await using codexTestbed = await openTestbed(processes);
  const codex = await codexTestbed.serve({ env: { SWITCHBOARD_HOME: harness.path('own') } });
  await addressOf(codex, harness);
  const { cwd, home, env } = environmentOf(harness);
  const host = await createHost({ config: harness.path(GLOBAL), cwd, env: { ...processes.env(), ...env, HOME: home } });
  try {
    await addressOf({ pid: process.pid }, harness);
    const { status, answer, error } = await runAsJson(harness, 'status');
    expect({ status, error, failed: answer.failed, ignored: answer.ignored }).toEqual({
      ...{ status: 0, error: undefined, failed: [], ignored: [] },
    });
    const reported = answer.running.map((one: RunningStatus) => [one.role, one.pid, one.servers.map(({ id }) => id)]);
    expect(reported).toEqual([
      ['gateway', first.pid, ['one']],
      ['gateway', second.pid, ['mine']],
      ['gateway', third.pid, ['node']],
      ['codex', codex.pid, []],
      ['host', process.pid, ['one']],
    ]);
    const shown = (await harness.mcp('status')).stdout;
    const heads = shown.split('\n').filter((line) => / · pid \d+ · /.test(line));
    expect(heads.map((line) => line.split(' · ').slice(0, 2))).toEqual(
      reported.map(([role, pid]: [string, number]) => [role, `pid ${pid}`]),
    );
  } finally {
    await host.close();
  }
});
