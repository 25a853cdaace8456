import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { CliProcess } from '../gateway/cli-process.ts';
import { switchboard } from '../interop/programs.ts';
import { runAsJson } from '../mcp/listing-testbed.ts';
import { configure } from '../mcp/test-report.ts';
import { type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { addressOf, useGateways } from '../mcp/via-gateway-testbed.ts';
import { trackProcesses } from '../processes.ts';
import { proofFor } from './attach-request.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);

const testbedWithOneServer = () => configure(newTestbed(), { one: fixture('well-behaved') });
const socketsIn = (harness: Testbed) => readdirSync(harness.path('own/run'));
const pidsIn = (harness: Testbed) =>
  existsSync(harness.path('own/run')) ? socketsIn(harness).map((name) => Number(name.split('-')[0])) : [];

describe('the socket of a gateway', () => {
  test('does not call tools that the config hides', async () => {
    const entry = { ...fixture('well-behaved'), disabled_tools: ['echo'] };
    const { socket, say } = await attachToOne(configure(newTestbed(), { one: entry }));
    const answer = await say(2, 'tools/call', { name: 'echo', arguments: { text: 'x' } });
    socket.destroy();
    expect(answer).toMatchObject({
      id: 2,
      error: { message: 'one.echo is hidden: the config denies it' },
    });
  });

  test('does not forward a call without an id, which a server might run although the config hides the tool', async () => {
    const harness = newTestbed();
    const program = `
      const { appendFileSync } = require('node:fs');
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        appendFileSync(${JSON.stringify(harness.path('received.txt'))}, method + '\\n');
        const result = method === 'initialize'
          ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'one', version: '1' } }
          : { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });`;
    const entry = { command: process.execPath, args: [harness.write('server.cjs', program)], disabled_tools: ['echo'] };
    const { socket, say } = await attachToOne(configure(harness, { one: entry }));
    for (const method of ['tools/call', 'notifications/roots/list_changed'])
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', method, params: { name: 'echo' } })}\n`);
    await say(2, 'prompts/list', {});
    socket.destroy();
    const received = readFileSync(harness.path('received.txt'), 'utf8').trim().split('\n');
    expect(received.slice(-2)).toEqual(['notifications/roots/list_changed', 'prompts/list']);
    expect(received).not.toContain('tools/call');
  });

  test('cannot be opened by other users', async () => {
    const harness = testbedWithOneServer();
    const { address } = await addressOf(await gateways.start(harness), harness);
    const modes = [address, harness.path('own/run')].map((place) => statSync(place).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700]);
  });

  test.each([
    ['the end of its input', 0],
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('is removed after %s, even while an attached client waits for a hanging call', async (how, code) => {
    const harness = configure(newTestbed(), { one: fixture('hangs-at-call') });
    const gateway = await gateways.start(harness);
    await gateway.request('tools/list');
    const asked = runAsJson(harness, 'call', 'one.hang');
    await expect.poll(async () => (await harness.mcp('status')).stdout, { timeout: 30_000 }).toMatch(/0\+1/);
    if (how === 'the end of its input') gateway.endInput();
    else gateway.kill(how);
    expect(await gateway.exited).toEqual({ code, signal: null });
    expect(socketsIn(harness)).toEqual([]);
    const { status, answer, error } = await asked;
    expect({ status, answer, code: error.code }).toEqual({ status: 4, answer: undefined, code: 'OUTCOME_UNKNOWN' });
  });

  test.each([
    ['status', ['status']],
    ['call', ['call', 'one.echo', 'text=x']],
    ['tools', ['tools', 'one']],
  ])('of a killed gateway is removed by the next `mcp %s`', async (_, args) => {
    const harness = testbedWithOneServer();
    const gateway = await gateways.start(harness);
    gateway.kill('SIGKILL');
    await gateway.exited;
    expect(socketsIn(harness).length).toBe(1);
    expect(await harness.mcp(...args)).toMatchObject({ status: 0 });
    expect(socketsIn(harness)).toEqual([]);
  });

  test('of a killed gateway is removed when the next gateway starts', async () => {
    const harness = testbedWithOneServer();
    const start = async () => {
      const env = { HOME: harness.folder, SWITCHBOARD_HOME: harness.path('own') };
      const gateway = new CliProcess(switchboard('gateway'), processes, env, harness.path('project'));
      await gateway.initialize();
      // Without looking for running processes, which would remove such sockets.
      await expect.poll(() => pidsIn(harness), { timeout: 30_000 }).toContain(gateway.pid);
      return gateway;
    };
    const killed = await start();
    killed.kill('SIGKILL');
    await killed.exited;
    expect(pidsIn(harness)).toEqual([killed.pid]);
    const next = await start();
    expect(pidsIn(harness)).toEqual([next.pid]);
    next.endInput();
    await next.exited;
    expect(pidsIn(harness)).toEqual([]);
  });

  test('is not left behind if the client disconnects while it is being opened', async () => {
    const harness = testbedWithOneServer();
    const env = { HOME: harness.folder, SWITCHBOARD_HOME: harness.path('own') };
    const leaveAfter = async (ms: number) => {
      const gateway = new CliProcess(switchboard('gateway'), processes, env, harness.path('project'));
      await gateway.initialize();
      await new Promise((resolve) => setTimeout(resolve, ms));
      gateway.endInput();
      await gateway.exited;
    };
    // It opens a third of a second after the start, or later on a busy machine.
    for (const ms of [200, 280, 320, 360, 420]) await leaveAfter(ms);
    expect(pidsIn(harness)).toEqual([]);
  });

  test('of a killed gateway does not block the next gateway', async () => {
    const harness = testbedWithOneServer();
    const gateway = await gateways.start(harness);
    gateway.kill('SIGKILL');
    await gateway.exited;
    const next = await gateways.start(harness);
    expect(await runAsJson(harness, 'call', 'one.echo', 'text=x')).toMatchObject({ answer: { via: 'gateway' } });
    expect(socketsIn(harness).map((name) => Number(name.split('-')[0]))).toEqual([next.pid]);
  });
});

describe('if the socket folder cannot be trusted', () => {
  const spoil = {
    'open to others': (run: string) => {
      mkdirSync(run, { recursive: true });
      chmodSync(run, 0o777);
    },
    'a symbolic link': (run: string, harness: Testbed) => {
      mkdirSync(harness.path('elsewhere'), { mode: 0o700 });
      symlinkSync(harness.path('elsewhere'), run);
    },
    'not a folder': (_run: string, harness: Testbed) => void harness.write('own/run', 'a file'),
  };

  test.each(Object.keys(spoil) as (keyof typeof spoil)[])(
    'because it is %s, the gateway serves its client and reports it once, and commands report it and connect directly',
    async (what) => {
      const harness = testbedWithOneServer();
      spoil[what](harness.path('own/run'), harness);
      const gateway = await startWithoutSocketWait(harness);
      const complaints = () => gateway.stderr.split('\n').filter((line) => line.includes('cannot be queried'));
      await expect.poll(complaints, { timeout: 30_000 }).toEqual([expect.stringContaining(harness.path('own/run'))]);
      expect(complaints()[0]).toContain(what === 'not a folder' ? 'run' : what);
      expect((await gateway.call('one__echo', { text: 'it serves' })).result.content[0].text).toBe('it serves');
      expect(await runAsJson(harness, 'call', 'one.echo', 'text=x')).toMatchObject({
        status: 0,
        answer: { via: 'direct' },
      });
      const { status, answer } = await runAsJson(harness, 'status');
      expect({ status, running: answer.running, ignored: answer.ignored }).toEqual({
        ...{ status: 0, running: [] },
        ignored: [{ place: harness.path('own/run'), why: expect.stringContaining(what) }],
      });
      expect((await harness.mcp('status')).stderr).toContain(harness.path('own/run'));
      expect(complaints().length).toBe(1);
      gateway.endInput();
      expect(await gateway.exited).toEqual({ code: 0, signal: null });
    },
  );

  test('a command connects directly', async () => {
    const harness = testbedWithOneServer();
    spoil['open to others'](harness.path('own/run'));
    const { status, stdout } = await harness.mcp('call', 'one.echo', 'text=x');
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'x\n' });
  });

  test.runIf(process.getuid?.() === 0)(
    'because it belongs to another user, the gateway and commands report it too',
    async () => {
      const harness = testbedWithOneServer();
      mkdirSync(harness.path('own/run'), { mode: 0o700 });
      chownSync(harness.path('own/run'), 12_345, 12_345);
      const gateway = await startWithoutSocketWait(harness);
      await expect.poll(() => gateway.stderr, { timeout: 30_000 }).toContain('it belongs to another user');
      expect(await runAsJson(harness, 'status')).toMatchObject({
        status: 0,
        answer: { ignored: [{ place: harness.path('own/run'), why: 'it belongs to another user' }] },
      });
      expect(await runAsJson(harness, 'call', 'one.echo', 'text=x')).toMatchObject({ answer: { via: 'direct' } });
      gateway.endInput();
      await gateway.exited;
    },
  );
});

/** A gateway that cannot be queried, so that tests cannot wait for its socket. */
async function startWithoutSocketWait(harness: Testbed): Promise<CliProcess> {
  const env = { HOME: harness.folder, SWITCHBOARD_HOME: harness.path('own') };
  const gateway = new CliProcess(switchboard('gateway'), processes, env, harness.path('project'));
  await gateway.initialize();
  return gateway;
}

/** Starts a gateway and attaches a client to its server `one`. */
async function attachToOne(harness: Testbed) {
  const { address } = await addressOf(await gateways.start(harness), harness);
  const socket = await connectTo(address);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const say = async (id: number, method: string, params: object) => {
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return JSON.parse((await lines.next()).value);
  };
  const proof = proofFor(address, await say(0, 'mcp.attach', { server: 'one' }));
  await say(0, 'mcp.attach', { server: 'one', proof });
  const clientInfo = { name: 'test', version: '1' };
  await say(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  return { socket, say };
}

/** A socket file exists for a moment before its server listens. */
async function connectTo(address: string): Promise<Socket> {
  for (let attempt = 1; ; attempt++) {
    const socket = createConnection(address);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if (attempt === 100) throw error;
      await delay(20);
    }
  }
}
