import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import { fixture } from '../fixtures/paths.ts';
import type { CliProcess } from '../gateway/cli-process.ts';
import { runAsJson } from '../mcp/listing-testbed.ts';
import { configure } from '../mcp/test-report.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { addressOf, useGateways } from '../mcp/via-gateway-testbed.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);

const ways: Readonly<Record<string, (gateway: CliProcess) => void>> = {
  SIGKILL: (gateway) => gateway.kill('SIGKILL'),
  SIGTERM: (gateway) => gateway.kill('SIGTERM'),
  'the end of its input': (gateway) => gateway.endInput(),
};

/** The allowed errors for a gateway that exits at this moment. */
const STOPPING_CODES = ['CONNECTION_CLOSED', 'UNREACHABLE'];
const LONG_TIMEOUT = { timeoutMs: 30_000 };

describe('a status request while the gateway stops', () => {
  test.each(Object.keys(ways))(
    'by %s gets a response or an error, and another gateway is still listed',
    async (how) => {
      const harness = configure(newTestbed(), { one: fixture('well-behaved') });
      const staying = await gateways.start(harness);
      const going = await gateways.start(harness);
      const running = await addressOf(going, harness);
      const asked = Promise.all(
        Array.from({ length: 200 }, async () => {
          try {
            return Object(await sendControlRequest(running, 'mcp.list', undefined, LONG_TIMEOUT)).pid;
          } catch (error) {
            return Object(error).code;
          }
        }),
      );
      // By then, some have responses, some are pending, and some have not arrived.
      await sendControlRequest(running, 'mcp.list', undefined, LONG_TIMEOUT);
      ways[how]?.(going);
      for (const outcome of await asked) expect([going.pid, ...STOPPING_CODES]).toContain(outcome);
      await going.exited;
      const { status, answer, error } = await runAsJson(harness, 'status');
      expect({ status, error, pids: answer.running.map(({ pid }: { pid: number }) => pid) }).toEqual({
        ...{ status: 0, error: undefined, pids: [staying.pid] },
      });
    },
  );

  test.each(Object.keys(ways))('by %s never hangs as a command, whatever the timing', async (how) => {
    const harness = configure(newTestbed(), { one: fixture('well-behaved') });
    const gateway = await gateways.start(harness);
    const asked = [0, 30, 60, 90, 120].map(async (ms) => {
      await delay(ms);
      return runAsJson(harness, 'status');
    });
    await delay(150);
    ways[how]?.(gateway);
    for (const { status, answer, error } of await Promise.all(asked)) {
      expect({ status, error }).toEqual({ status: 0, error: undefined });
      const { running, failed, configured } = answer;
      const reported = [...running, ...failed].map(({ pid }: { pid: number }) => pid);
      // Its status is shown, its exit is reported, or it has already exited and the configuration is shown.
      if (reported.length === 0) expect(configured.servers).toMatchObject([{ id: 'one' }]);
      else expect(reported).toEqual([gateway.pid]);
      for (const { code } of failed) expect(STOPPING_CODES).toContain(code);
    }
  });

  test('lists an unresponsive gateway as failed, and the others as running', async () => {
    const harness = configure(newTestbed(), { one: fixture('well-behaved') });
    const silent = await gateways.start(harness);
    const other = await gateways.start(harness);
    silent.kill('SIGSTOP');
    try {
      const { status, answer } = await runAsJson(harness, 'status');
      expect({ status, pids: answer.running.map(({ pid }: { pid: number }) => pid), failed: answer.failed }).toEqual({
        status: 0,
        pids: [other.pid],
        failed: [{ pid: silent.pid, code: 'TIMED_OUT', message: expect.stringContaining(String(silent.pid)) }],
      });
      const { stdout, stderr } = await harness.mcp('status');
      expect(stdout).toContain(`pid ${other.pid}`);
      expect(stderr).toContain(String(silent.pid));
    } finally {
      silent.kill('SIGCONT');
    }
  });

  test('fails at once if an unresponsive gateway is killed', async () => {
    const harness = configure(newTestbed(), { one: fixture('well-behaved') });
    const gateway = await gateways.start(harness);
    const running = await addressOf(gateway, harness);
    gateway.kill('SIGSTOP');
    const asked = sendControlRequest(running, 'mcp.list', undefined, { timeoutMs: 20_000 });
    const failure = asked.then(
      () => undefined,
      (error: unknown) => error,
    );
    await delay(100);
    gateway.kill('SIGKILL');
    // On a busy machine, the connection itself may come after the kill.
    expect(await failure).toMatchObject({
      code: expect.stringMatching(/^(?:CONNECTION_CLOSED|UNREACHABLE)$/),
      data: { pid: gateway.pid },
    });
  });
});
