import { describe, expect, test } from 'vitest';
import { openControlSocket } from '../../src/control/socket/control-socket.ts';
import { createHost } from '../../src/host/index.ts';
import { openWorld } from '../codex-server/world.ts';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { noted, ownServer } from './call-world.ts';
import { runAsJson } from './listing-world.ts';
import { detail, respondingWith, useRunning } from './running-processes.ts';
import { configure } from './test-report.ts';
import { addressOf, configureOne, environmentOf, NOTES_ITS_STARTS, useGateways, who } from './via-gateway-world.ts';
import { GLOBAL, useWorlds, type World } from './world.ts';

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const gateways = useGateways(processes);
const things = useRunning(processes);

const worldOfOne = () => configureOne(newWorld());

/** Waits for the start of the gateway's server, so that the latest start is the one by the command. */
const hasStarted = (world: World) => expect.poll(() => noted(world).length).toBe(1);

describe('a command connects directly', () => {
  const expectDirect = async (world: World, ...args: readonly string[]) => {
    const asked = await who(world, ...args);
    expect(asked).toEqual({ status: 0, via: 'direct', pid: noted(world).at(-1), error: undefined });
  };

  test('if no gateway is running', async () => {
    const world = worldOfOne();
    await expectDirect(world);
    expect(noted(world).length).toBe(1);
  });

  test('if --direct is given', async () => {
    const world = worldOfOne();
    const gateway = await gateways.start(world);
    await gateway.request('tools/list');
    await hasStarted(world);
    await expectDirect(world, '--direct');
    expect(noted(world).length).toBe(2);
  });

  test.each([
    ['another command', { one: fixture('well-behaved') }],
    ['another environment', (entry: object) => ({ one: { ...entry, env: { WHO: 'else' } } })],
    ['another name', (entry: object) => ({ other: entry })],
  ])('if the gateway has only an entry with %s', async (_, servers) => {
    const world = newWorld();
    const entry = ownServer(world, NOTES_ITS_STARTS);
    configure(world, { one: entry });
    const mcpServers = typeof servers === 'function' ? servers(entry) : servers;
    const file = world.write('other.json', { mcpServers });
    const gateway = await gateways.start(world, { args: ['gateway', '--config', file] });
    await gateway.request('tools/list');
    await expectDirect(world);
  });

  test('if the only gateway serves a single command', async () => {
    const world = newWorld();
    const entry = ownServer(world, NOTES_ITS_STARTS);
    const id = 'node';
    configure(world, { [id]: entry });
    await gateways.start(world, { args: ['--', entry.command, ...entry.args] });
    const { answer } = await runAsJson(world, 'call', `${id}.who`);
    expect(answer).toMatchObject({ via: 'direct', result: { content: [{ text: noted(world).at(-1) }] } });
  });

  test.each([
    ['reports its status, but does not accept clients', respondingWith(detail('one'))],
    ['sends an invalid response', () => 7],
  ])('if the listening process %s', async (_, answer) => {
    const world = worldOfOne();
    await things.socket(world, answer);
    await expectDirect(world);
  });

  test('if the running process is a codex server', async () => {
    const world = worldOfOne();
    await using codex = await openWorld(processes);
    const { pid } = await codex.serve({ env: { SWITCHBOARD_HOME: world.path('own') } });
    await addressOf({ pid }, world);
    await expectDirect(world);
  });

  test('if the running process is a host with the same server', async () => {
    const world = worldOfOne();
    const { cwd, home, env } = environmentOf(world);
    const host = await createHost({ config: world.path(GLOBAL), cwd, env: { ...processes.env(), ...env, HOME: home } });
    try {
      await addressOf({ pid: process.pid }, world);
      // The gateway's own server has started by then, so the latest start is the one by the command.
      await host.tools();
      await expectDirect(world);
    } finally {
      await host.close();
    }
  });

  test('if the gateway was killed and left its socket', async () => {
    const world = worldOfOne();
    const gateway = await gateways.start(world);
    await hasStarted(world);
    gateway.kill('SIGKILL');
    await gateway.exited;
    await expectDirect(world);
  });

  test('if the gateway stops responding', async () => {
    const world = worldOfOne();
    const gateway = await gateways.start(world);
    await hasStarted(world);
    gateway.kill('SIGSTOP');
    try {
      await expectDirect(world);
    } finally {
      gateway.kill('SIGCONT');
    }
  });

  test('if the gateway disconnects before it responds', async () => {
    const world = worldOfOne();
    let isAsked = false;
    const control = await openControlSocket({
      environment: environmentOf(world),
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
    await expectDirect(world);
    expect(isAsked).toBe(true);
  });
});
