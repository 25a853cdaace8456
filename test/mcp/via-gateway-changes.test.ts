import { describe, expect, test } from 'vitest';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import type { RunningStatus } from '../../src/control/status/running-status.ts';
import { useAttached } from '../gateway/attached-client.ts';
import type { CliProcess } from '../gateway/cli-process.ts';
import { answered, serverFromFile, tool } from '../gateway/tools-from-file.ts';
import { trackProcesses } from '../processes.ts';
import { runAsJson } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';
import { addressOf, useGateways } from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);
const attach = useAttached();
const WITHIN = { timeout: 30_000, interval: 100 };

/** A gateway that has version `old` of the server `one`, and a function that changes the server. */
async function setUp() {
  const testbed = newTestbed();
  const entry = (version: string, more: object = {}) => {
    const own = serverFromFile(testbed.folder, version);
    own.offer({ tools: [tool('work')], version });
    return { command: own.command, args: own.args, ...more };
  };
  configure(testbed, { one: entry('old') });
  const gateway = await gateways.start(testbed);
  const tools = async () =>
    (await gateway.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
  await expect.poll(tools, WITHIN).toEqual(['one__work']);
  return { testbed, gateway, entry };
}

/** Runs `mcp call one.work`. Returns which version responded, and through which connection. */
async function work(testbed: Testbed, ms = 0) {
  const { status, answer, error } = await runAsJson(testbed, 'call', 'one.work', '--args', JSON.stringify({ ms }));
  if (answer === undefined) return { status, code: error.code };
  return { status, via: answer.via, version: answered(answer).version };
}

/** Queries the gateway directly, because a command would take longer than the call. */
async function waitForPendingCall(gateway: CliProcess, testbed: Testbed): Promise<void> {
  const running = await addressOf(gateway, testbed);
  const underWay = async () => ((await sendControlRequest(running, 'mcp.list')) as RunningStatus).servers[0]?.underWay;
  await expect.poll(underWay, { timeout: 30_000, interval: 20 }).toBe(1);
}

const waitForStderr = (gateway: CliProcess, what: string) => expect.poll(() => gateway.stderr, WITHIN).toContain(what);

describe('if the config changes during the call of a command', () => {
  test('a replaced server finishes the call, and the next call goes to the new one', async () => {
    const { testbed, gateway, entry } = await setUp();
    const underWay = work(testbed, 4_000);
    await waitForPendingCall(gateway, testbed);
    configure(testbed, { one: entry('new') });
    await waitForStderr(gateway, 'restarted one');
    expect(await work(testbed)).toEqual({ status: 0, via: 'gateway', version: 'new' });
    expect(await underWay).toEqual({ status: 0, via: 'gateway', version: 'old' });
  });

  test('a removed server finishes the call, and the next call gets an error', async () => {
    const { testbed, gateway } = await setUp();
    const underWay = work(testbed, 4_000);
    await waitForPendingCall(gateway, testbed);
    configure(testbed, {});
    await waitForStderr(gateway, 'stopped one');
    expect(await work(testbed)).toEqual({ status: 2, code: 'USAGE' });
    expect(await underWay).toEqual({ status: 0, via: 'gateway', version: 'old' });
  });

  test('settings of ours do not affect the call, and the next goes through the gateway too', async () => {
    const { testbed, gateway, entry } = await setUp();
    const underWay = work(testbed, 4_000);
    await waitForPendingCall(gateway, testbed);
    configure(testbed, { one: entry('old', { request_timeout_ms: 12_345 }) });
    expect(await work(testbed)).toEqual({ status: 0, via: 'gateway', version: 'old' });
    expect(await underWay).toEqual({ status: 0, via: 'gateway', version: 'old' });
  });

  test('before the gateway has noticed, the next call connects directly and not to the old server', async () => {
    const { testbed, gateway, entry } = await setUp();
    gateway.kill('SIGSTOP');
    configure(testbed, { one: entry('new') });
    const asked = work(testbed);
    setTimeout(() => gateway.kill('SIGCONT'), 100);
    expect(await asked).toMatchObject({ status: 0, version: 'new' });
  });
});

describe('a client that stays attached while the config changes', () => {
  test('has its call finished by the replaced server, and is disconnected when that is gone', async () => {
    const { testbed, gateway, entry } = await setUp();
    const attached = await attach(await addressOf(gateway, testbed), 'one');
    const underWay = attached.call('work', { ms: 4_000 });
    await waitForPendingCall(gateway, testbed);
    configure(testbed, { one: entry('new') });
    await waitForStderr(gateway, 'restarted one');
    expect(answered(await underWay)).toMatchObject({ version: 'old' });
    await attached.ended;
    const again = await attach(await addressOf(gateway, testbed), 'one');
    expect(answered(await again.call('work'))).toMatchObject({ version: 'new' });
  });

  test('to a removed server is disconnected', async () => {
    const { testbed, gateway } = await setUp();
    const attached = await attach(await addressOf(gateway, testbed), 'one');
    configure(testbed, {});
    await waitForStderr(gateway, 'stopped one');
    await attached.ended;
  });
});
