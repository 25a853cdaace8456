import { once } from 'node:events';
import { createConnection } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { MAX_ATTACHED } from '../../src/control/socket/control-connections.ts';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import type { RunningInstance } from '../../src/control/socket/running-instances.ts';
import { fixture } from '../fixtures/paths.ts';
import { useAttached } from '../gateway/attached-client.ts';
import type { CliProcess } from '../gateway/cli-process.ts';
import { ownServer } from '../mcp/call-testbed.ts';
import { runAsJson } from '../mcp/listing-testbed.ts';
import { configure } from '../mcp/test-report.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { addressOf, useGateways } from '../mcp/via-gateway-testbed.ts';
import { trackProcesses } from '../processes.ts';
import { proofFor } from './attach-request.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);
const attach = useAttached();
const LONG_TIMEOUT = { timeoutMs: 30_000 };

test('the maximum number of clients is attached and served, and the next command connects directly', async () => {
  const harness = configure(newTestbed(), { one: fixture('well-behaved') });
  const gateway = await gateways.start(harness);
  await gateway.request('tools/list');
  const running = await addressOf(gateway, harness);
  const clients = await Promise.all(Array.from({ length: MAX_ATTACHED }, () => attach(running, 'one')));
  const answers = await Promise.all(clients.map((client, index) => client.call('add', { a: index, b: 1 })));
  expect(answers.map(({ result }) => result.structuredContent.sum)).toEqual(clients.map((_, index) => index + 1));
  const { status, answer } = await runAsJson(harness, 'call', 'one.echo', 'text=x');
  expect({ status, via: answer.via }).toEqual({ status: 0, via: 'direct' });
  expect(await sendControlRequest(running, 'mcp.list', undefined, LONG_TIMEOUT)).toMatchObject({
    clients: ['test 1'],
    servers: [{ calls: MAX_ATTACHED, underWay: 0 }],
  });
  expect((await gateway.call('one__echo', { text: 'first' })).result.content[0].text).toBe('first');
  clients[0]?.leave();
  const via = async () => (await runAsJson(harness, 'call', 'one.echo', 'text=x')).answer.via;
  await expect.poll(via, { timeout: 30_000 }).toBe('gateway');
});

describe('attached clients that do not read', { timeout: 120_000 }, () => {
  const unread: (() => void)[] = [];
  afterEach(() => {
    for (const leave of unread.splice(0)) leave();
  });

  /** `big` sends one mebibyte after the other, as fast as it is read. */
  const BIG = `
    let turn = Promise.resolve();
    const result = text('x'.repeat(1024 * 1024));
    const echo = { call: (args) => text(args.text) };
    const big = {
      call(_, { id, peer, signal }) {
        turn = turn.then(() => signal.aborted || peer.send({ jsonrpc: '2.0', id, result })).then(() => handled++);
      },
    };
    let handled = 0;
    serve({ tools: { echo, big, handled: { call: () => text(String(handled)) } } });`;
  const ASKED_EACH = 100;

  async function setUp() {
    const harness = newTestbed();
    configure(harness, { one: ownServer(harness, BIG) });
    const gateway = await gateways.start(harness);
    await gateway.request('tools/list');
    return { harness, gateway, running: await addressOf(gateway, harness) };
  }

  /** Requests a hundred mebibytes and reads none of it. */
  async function askAndNeverRead({ address }: RunningInstance): Promise<void> {
    const socket = createConnection(address);
    unread.push(() => socket.destroy());
    socket.on('error', () => {});
    const say = (message: object) => socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    say({ id: 0, method: 'mcp.attach', params: { server: 'one' } });
    const [challenge] = await once(socket, 'data');
    socket.pause();
    const proof = proofFor(address, JSON.parse(String(challenge)));
    say({ id: 0, method: 'mcp.attach', params: { server: 'one', proof } });
    const clientInfo = { name: 'deaf', version: '1' };
    say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
    say({ method: 'notifications/initialized' });
    for (let id = 2; id < 2 + ASKED_EACH; id++)
      say({ id, method: 'tools/call', params: { name: 'big', arguments: {} } });
  }

  /** Resolves when the server has sent everything requested, or gets no more requests. */
  async function untilQuiet(gateway: CliProcess): Promise<void> {
    let before = 0;
    await expect
      .poll(
        async () => {
          const last = before;
          before = Number((await gateway.call('one__handled')).result.content[0].text);
          return before > 0 && before === last;
        },
        { timeout: 40_000, interval: 1_000 },
      )
      .toBe(true);
  }

  test('do not block others with 100 MiB, which is buffered at most once', async () => {
    const { harness, gateway, running } = await setUp();
    const before = gateway.peakMib();
    await askAndNeverRead(running);
    const other = await attach(running, 'one');
    for (let count = 0; count < 20; count++) {
      const [first, attached] = await Promise.all([
        gateway.call('one__echo', { text: 'first' }),
        other.call('echo', { text: 'other' }),
      ]);
      expect([first, attached].map(({ result }) => result.content[0].text)).toEqual(['first', 'other']);
    }
    await untilQuiet(gateway);
    expect(await runAsJson(harness, 'call', 'one.echo', 'text=x')).toMatchObject({ answer: { via: 'gateway' } });
    expect(await sendControlRequest(running, 'mcp.list', undefined, LONG_TIMEOUT)).toMatchObject({
      servers: [{ state: 'ready' }],
    });
    expect(gateway.peakMib() - before).toBeLessThan(200);
  });

  test('share one memory limit: five do not cost five times as much', async () => {
    const { gateway, running } = await setUp();
    const before = gateway.peakMib();
    const other = await attach(running, 'one');
    for (let count = 0; count < 5; count++) await askAndNeverRead(running);
    await untilQuiet(gateway);
    // Whichever connection is closed, it is not one that reads.
    expect((await other.call('echo', { text: 'other' })).result.content[0].text).toBe('other');
    expect(gateway.peakMib() - before).toBeLessThan(350);
  });
});
