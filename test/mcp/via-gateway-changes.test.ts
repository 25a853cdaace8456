import { describe, expect, test } from 'vitest';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import type { RunningStatus } from '../../src/control/status/running-status.ts';
import { useAttached } from '../gateway/attached-client.ts';
import type { CliProcess } from '../gateway/cli-process.ts';
import { answered, serverFromFile, tool } from '../gateway/tools-from-file.ts';
import { trackProcesses } from '../processes.ts';
import { runAsJson } from './listing-world.ts';
import { configure } from './test-report.ts';
import { addressOf, useGateways } from './via-gateway-world.ts';
import { useWorlds, type World } from './world.ts';

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const gateways = useGateways(processes);
const attach = useAttached();
const WITHIN = { timeout: 30_000, interval: 100 };

/** A gateway that has version `old` of the server `one`, and a function that changes the server. */
async function setUp() {
  const world = newWorld();
  const entry = (version: string, more: object = {}) => {
    const own = serverFromFile(world.folder, version);
    own.offer({ tools: [tool('work')], version });
    return { command: own.command, args: own.args, ...more };
  };
  configure(world, { one: entry('old') });
  const gateway = await gateways.start(world);
  const tools = async () =>
    (await gateway.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
  await expect.poll(tools, WITHIN).toEqual(['one__work']);
  return { world, gateway, entry };
}

/** Runs `mcp call one.work`. Returns which version responded, and through which connection. */
async function work(world: World, ms = 0) {
  const { status, answer, error } = await runAsJson(world, 'call', 'one.work', '--args', JSON.stringify({ ms }));
  if (answer === undefined) return { status, code: error.code };
  return { status, via: answer.via, version: answered(answer).version };
}

/** Queries the gateway directly, because a command would take longer than the call. */
async function untilUnderWay(gateway: CliProcess, world: World): Promise<void> {
  const running = await addressOf(gateway, world);
  const underWay = async () => ((await sendControlRequest(running, 'mcp.list')) as RunningStatus).servers[0]?.underWay;
  await expect.poll(underWay, { timeout: 30_000, interval: 20 }).toBe(1);
}

const untilSaid = (gateway: CliProcess, what: string) => expect.poll(() => gateway.stderr, WITHIN).toContain(what);

describe('if the config changes during the call of a command', () => {
  test('a replaced server finishes the call, and the next call goes to the new one', async () => {
    const { world, gateway, entry } = await setUp();
    const underWay = work(world, 4_000);
    await untilUnderWay(gateway, world);
    configure(world, { one: entry('new') });
    await untilSaid(gateway, 'restarted one');
    expect(await work(world)).toEqual({ status: 0, via: 'gateway', version: 'new' });
    expect(await underWay).toEqual({ status: 0, via: 'gateway', version: 'old' });
  });

  test('a removed server finishes the call, and the next call gets an error', async () => {
    const { world, gateway } = await setUp();
    const underWay = work(world, 4_000);
    await untilUnderWay(gateway, world);
    configure(world, {});
    await untilSaid(gateway, 'stopped one');
    expect(await work(world)).toEqual({ status: 2, code: 'USAGE' });
    expect(await underWay).toEqual({ status: 0, via: 'gateway', version: 'old' });
  });

  test('settings of ours do not affect the call, and the next goes through the gateway too', async () => {
    const { world, gateway, entry } = await setUp();
    const underWay = work(world, 4_000);
    await untilUnderWay(gateway, world);
    configure(world, { one: entry('old', { request_timeout_ms: 12_345 }) });
    expect(await work(world)).toEqual({ status: 0, via: 'gateway', version: 'old' });
    expect(await underWay).toEqual({ status: 0, via: 'gateway', version: 'old' });
  });

  test('before the gateway has noticed, the next call connects directly and not to the old server', async () => {
    const { world, gateway, entry } = await setUp();
    gateway.kill('SIGSTOP');
    configure(world, { one: entry('new') });
    const asked = work(world);
    setTimeout(() => gateway.kill('SIGCONT'), 100);
    expect(await asked).toMatchObject({ status: 0, version: 'new' });
  });
});

describe('a client that stays attached while the config changes', () => {
  test('has its call finished by the replaced server, and is disconnected when that is gone', async () => {
    const { world, gateway, entry } = await setUp();
    const attached = await attach(await addressOf(gateway, world), 'one');
    const underWay = attached.call('work', { ms: 4_000 });
    await untilUnderWay(gateway, world);
    configure(world, { one: entry('new') });
    await untilSaid(gateway, 'restarted one');
    expect(answered(await underWay)).toMatchObject({ version: 'old' });
    await attached.ended;
    const again = await attach(await addressOf(gateway, world), 'one');
    expect(answered(await again.call('work'))).toMatchObject({ version: 'new' });
  });

  test('to a removed server is disconnected', async () => {
    const { world, gateway } = await setUp();
    const attached = await attach(await addressOf(gateway, world), 'one');
    configure(world, {});
    await untilSaid(gateway, 'stopped one');
    await attached.ended;
  });
});
