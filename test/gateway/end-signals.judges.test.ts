import { afterEach, describe, expect, test } from 'vitest';
import { type FixtureName, fixture } from '../fixtures/paths.ts';
import { type ConfiguredGateway, gatewayFor, longTimeoutEnv, switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { CliProcess } from './cli-process.ts';

/**
 * The end of the gateway, whatever its cause: every pending request gets a response, and every started process ends.
 * `npm run bench` checks that this takes less than five seconds; on a busy machine it may take longer. After each test,
 * `trackProcesses` checks that nothing is left. Some tests check it themselves before they end.
 */
const GONE_WITHIN_MS = 20_000;
const processes = trackProcesses({ withinMs: GONE_WITHIN_MS });

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

const configs: ConfiguredGateway[] = [];
afterEach(() => {
  for (const config of configs.splice(0)) config[Symbol.dispose]();
});

/** A gateway in front of these fixtures, with an initialized client. */
async function start(...names: readonly FixtureName[]): Promise<CliProcess> {
  const config = gatewayFor(Object.fromEntries(names.map((name) => [name, fixture(name)])));
  configs.push(config);
  const gateway = new CliProcess(config, processes, longTimeoutEnv);
  await gateway.initialize();
  return gateway;
}

/** Expects the gateway and everything that it started to exit in time after `end`. Returns how the gateway exited. */
async function exitAfter(gateway: CliProcess, end: () => void) {
  end();
  await processes.assertAllGone({ withinMs: GONE_WITHIN_MS });
  return gateway.exited;
}

const STUBBORN = ['stubborn-grandchild', 'ignores-term', 'well-behaved'] as const;

describe.each<[string, (gateway: CliProcess) => void, { code: number | null; signal: NodeJS.Signals | null }]>([
  ['EOF on stdin', (gateway) => gateway.endInput(), { code: 0, signal: null }],
  ['a client that disconnects', (gateway) => gateway.hangUp(), { code: 0, signal: null }],
  ['SIGTERM', (gateway) => gateway.kill('SIGTERM'), { code: 143, signal: null }],
  ['SIGINT', (gateway) => gateway.kill('SIGINT'), { code: 130, signal: null }],
  ['SIGHUP', (gateway) => gateway.kill('SIGHUP'), { code: 129, signal: null }],
  ['SIGKILL', (gateway) => gateway.kill('SIGKILL'), { code: null, signal: 'SIGKILL' }],
])('%s', (_, end, exit) => {
  verifies(
    'gateway:aggregate:nothing-left',
    'stops the gateway and every server, even an unresponsive one, with everything they started',
    async () => {
      const gateway = await start(...STUBBORN);
      const { result } = await gateway.call('stubborn-grandchild__grandchild');
      const grandchild = Number(result.content[0].text);
      expect(processes.alive().map(({ pid }) => pid)).toContain(grandchild);
      expect(await exitAfter(gateway, () => end(gateway))).toEqual(exit);
    },
  );
});

describe('pending calls', () => {
  test('are answered after the client closes stdin, if the responses arrive soon', async () => {
    const gateway = await start('well-behaved');
    const slow = gateway.post('tools/call', { name: 'well-behaved__slow', arguments: { ms: 800 } });
    const exit = await exitAfter(gateway, () => gateway.endInput());
    expect((await gateway.answer(slow)).result.content).toEqual([{ type: 'text', text: 'slept 800 ms' }]);
    expect(exit).toEqual({ code: 0, signal: null });
  });

  test('fail after the client closes stdin, if they do not finish', async () => {
    const gateway = await start('hangs-at-call');
    const hanging = gateway.post('tools/call', { name: 'hangs-at-call__hang', arguments: {} });
    const exit = await exitAfter(gateway, () => gateway.endInput());
    expect((await gateway.answer(hanging)).error).toMatchObject({
      code: 1104,
      data: { kind: 'server_error', retryable: false, toolName: 'hangs-at-call__hang', serverName: 'hangs-at-call' },
    });
    expect(exit).toEqual({ code: 0, signal: null });
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('fail at once on %s', async (signal) => {
    const gateway = await start('hangs-at-call');
    const hanging = gateway.post('tools/call', { name: 'hangs-at-call__hang', arguments: {} });
    await gateway.call('hangs-at-call__echo', { text: 'there' });
    await exitAfter(gateway, () => gateway.kill(signal));
    expect((await gateway.answer(hanging)).error).toMatchObject({ code: 1104, data: { retryable: false } });
  });

  test('that the client sent last, without a newline, are answered too', async () => {
    const gateway = await start('well-behaved');
    gateway.write(
      '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"well-behaved__echo","arguments":{"text":"bye"}}}',
    );
    const exit = await exitAfter(gateway, () => gateway.endInput());
    expect((await gateway.answer(77)).result.content).toEqual([{ type: 'text', text: 'bye' }]);
    expect(exit).toEqual({ code: 0, signal: null });
  });
});

test('a client that disconnects without reading keeps no server alive, and still gets what it reads later', async () => {
  const gateway = await start('floods-stdout', 'ignores-term');
  gateway.stopReading();
  const echo = gateway.post('tools/call', { name: 'floods-stdout__echo', arguments: { text: 'unread' } });
  gateway.endInput();
  const left = () => processes.alive().filter(({ command }) => command.includes('.mjs'));
  await expect.poll(left, { timeout: GONE_WITHIN_MS }).toEqual([]);
  gateway.readAgain();
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
  // Either a response or an error, exactly once.
  expect(gateway.received.filter(({ id, method }) => id === echo && method === undefined)).toHaveLength(1);
});

describe('shutdown during startup', () => {
  test('a client that disconnects without a message starts nothing', async () => {
    const config = gatewayFor({ one: fixture('ignores-term') });
    configs.push(config);
    const gateway = new CliProcess(config, processes);
    expect(await exitAfter(gateway, () => gateway.endInput())).toEqual({ code: 0, signal: null });
    expect(gateway.received).toEqual([]);
  });

  test('a gateway that cannot start exits with the reason, even if its client stays connected', async () => {
    const gateway = new CliProcess(switchboard('gateway', '--config', '/no/such/config.json'), processes);
    gateway.post('initialize', HELLO);
    expect(await gateway.exited).toEqual({ code: 7, signal: null });
    expect(gateway.stderr).toContain('/no/such/config.json: This file, named by --config, does not exist');
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('servers that are still starting are gone after %s', async (signal) => {
    const config = gatewayFor({ mute: fixture('hangs-at-initialize'), slow: fixture('slow-start', '60000') });
    configs.push(config);
    const gateway = new CliProcess(config, processes);
    gateway.post('initialize', HELLO);
    await expect
      .poll(() => processes.alive().filter(({ command }) => command.includes('.mjs')).length, { timeout: 30_000 })
      .toBe(2);
    await exitAfter(gateway, () => gateway.kill(signal));
  });

  test('a single server on the command line stops with its gateway too', async () => {
    const { command, args } = fixture('stubborn-grandchild');
    const gateway = new CliProcess(switchboard('--', command, ...args), processes, longTimeoutEnv);
    await gateway.initialize();
    expect(await exitAfter(gateway, () => gateway.kill('SIGKILL'))).toEqual({ code: null, signal: 'SIGKILL' });
  });
});
