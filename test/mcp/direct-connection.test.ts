import { describe, expect, test } from 'vitest';
import { openControlSocket } from '../../src/control/socket/control-socket.ts';
import { createHost } from '../../src/host/index.ts';
import { openTestbed } from '../codex-server/testbed.ts';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { ownServer, recordedLines } from './call-testbed.ts';
import { runAsJson } from './listing-testbed.ts';
import { detail, respondingWith, useRunning } from './running-processes.ts';
import { configure } from './test-report.ts';
import { GLOBAL, type Testbed, useTestbeds } from './testbed.ts';
import {
  addressOf,
  answeringProcess,
  configureOne,
  environmentOf,
  RECORDS_STARTS_SERVER,
  useGateways,
} from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);
const running = useRunning(processes);

const testbedWithOneServer = () => configureOne(newTestbed());

/** Waits for the start of the gateway's server, so that the latest start is the one by the command. */
const hasStarted = (testbed: Testbed) => expect.poll(() => recordedLines(testbed).length).toBe(1);

describe('a command connects directly', () => {
  const expectDirect = async (testbed: Testbed, ...args: readonly string[]) => {
    const asked = await answeringProcess(testbed, ...args);
    expect(asked).toEqual({ status: 0, via: 'direct', pid: recordedLines(testbed).at(-1), error: undefined });
  };

  test('if no gateway is running', async () => {
    const testbed = testbedWithOneServer();
    await expectDirect(testbed);
    expect(recordedLines(testbed).length).toBe(1);
  });

  test('if --direct is given', async () => {
    const testbed = testbedWithOneServer();
    const gateway = await gateways.start(testbed);
    await gateway.request('tools/list');
    await hasStarted(testbed);
    await expectDirect(testbed, '--direct');
    expect(recordedLines(testbed).length).toBe(2);
  });

  test.each([
    ['another command', { one: fixture('well-behaved') }],
    ['another environment', (entry: object) => ({ one: { ...entry, env: { WHO: 'else' } } })],
    ['another name', (entry: object) => ({ other: entry })],
  ])('if the gateway has only an entry with %s', async (_, servers) => {
    const testbed = newTestbed();
    const entry = ownServer(testbed, RECORDS_STARTS_SERVER);
    configure(testbed, { one: entry });
    const mcpServers = typeof servers === 'function' ? servers(entry) : servers;
    const file = testbed.write('other.json', { mcpServers });
    const gateway = await gateways.start(testbed, { args: ['gateway', '--config', file] });
    await gateway.request('tools/list');
    await expectDirect(testbed);
  });

  test('if the only gateway serves a single command', async () => {
    const testbed = newTestbed();
    const entry = ownServer(testbed, RECORDS_STARTS_SERVER);
    const id = 'node';
    configure(testbed, { [id]: entry });
    await gateways.start(testbed, { args: ['--', entry.command, ...entry.args] });
    const { answer } = await runAsJson(testbed, 'call', `${id}.who`);
    expect(answer).toMatchObject({ via: 'direct', result: { content: [{ text: recordedLines(testbed).at(-1) }] } });
  });

  test.each([
    ['reports its status, but does not accept clients', respondingWith(detail('one'))],
    ['sends an invalid response', () => 7],
  ])('if the listening process %s', async (_, answer) => {
    const testbed = testbedWithOneServer();
    await running.socket(testbed, answer);
    await expectDirect(testbed);
  });

  test('if the running process is a codex server', async () => {
    const testbed = testbedWithOneServer();
    await using codex = await openTestbed(processes);
    const { pid } = await codex.serve({ env: { SWITCHBOARD_HOME: testbed.path('own') } });
    await addressOf({ pid }, testbed);
    await expectDirect(testbed);
  });

  test('if the running process is a host with the same server', async () => {
    const testbed = testbedWithOneServer();
    const { cwd, home, env } = environmentOf(testbed);
    const host = await createHost({
      config: testbed.path(GLOBAL),
      cwd,
      env: { ...processes.env(), ...env, HOME: home },
    });
    try {
      await addressOf({ pid: process.pid }, testbed);
      // The gateway's own server has started by then, so the latest start is the one by the command.
      await host.tools();
      await expectDirect(testbed);
    } finally {
      await host.close();
    }
  });

  test('if the gateway was killed and left its socket', async () => {
    const testbed = testbedWithOneServer();
    const gateway = await gateways.start(testbed);
    await hasStarted(testbed);
    gateway.kill('SIGKILL');
    await gateway.exited;
    await expectDirect(testbed);
  });

  test('if the gateway stops responding', async () => {
    const testbed = testbedWithOneServer();
    const gateway = await gateways.start(testbed);
    await hasStarted(testbed);
    gateway.kill('SIGSTOP');
    try {
      await expectDirect(testbed);
    } finally {
      gateway.kill('SIGCONT');
    }
  });

  test('if the gateway disconnects before it responds', async () => {
    const testbed = testbedWithOneServer();
    let isAsked = false;
    const control = await openControlSocket({
      environment: environmentOf(testbed),
      answer: () => ({}),
      attach: () => ({
        receive() {
          isAsked = true;
          void control?.close();
        },
        end() {},
      }),
      onProblem(problem) {
        throw new Error(problem);
      },
    });
    await expectDirect(testbed);
    expect(isAsked).toBe(true);
  });
});
