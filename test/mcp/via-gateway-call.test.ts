import { describe, expect, test } from 'vitest';
import { openHttpFixture } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { ownServer, recordedLines, startCall, typeOnTerminal } from './call-testbed.ts';
import { runAsJson } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';
import { useGateways } from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);
const WITHIN = { timeout: 30_000, interval: 20 };

/** `wait` records when it starts and when it is cancelled. */
const WAITS = `
  note('started');
  const wait = (_, { signal }) => new Promise(() => {
    note('begun');
    signal.addEventListener('abort', () => note('cancelled'));
  });
  serve({ tools: { wait: { call: wait }, echo: { call: (args) => text(args.text) } } });`;

describe('an interrupted call through the gateway', () => {
  async function setUp() {
    const testbed = newTestbed();
    configure(testbed, { one: ownServer(testbed, WAITS) });
    const gateway = await gateways.start(testbed);
    await gateway.request('tools/list');
    const call = startCall(testbed, processes, ['call', 'one.wait']);
    await expect.poll(() => recordedLines(testbed), WITHIN).toEqual(['started', 'begun']);
    return { testbed, gateway, call };
  }

  verifies('host:call:cancel-stdio', 'is cancelled at the server, which keeps running for everyone else', async () => {
    const { testbed, gateway, call } = await setUp();
    call.interrupt();
    expect(await call.ended).toMatchObject({
      status: 130,
      stderr: expect.stringMatching(/^one\.wait was cancelled\./),
    });
    await expect.poll(() => recordedLines(testbed), WITHIN).toEqual(['started', 'begun', 'cancelled']);
    expect((await gateway.call('one__echo', { text: 'first' })).result.content[0].text).toBe('first');
    expect((await runAsJson(testbed, 'call', 'one.echo', 'text=x')).answer).toMatchObject({ via: 'gateway' });
    expect(recordedLines(testbed)).toEqual(['started', 'begun', 'cancelled']);
    expect(gateway.received.filter(({ method }) => method !== undefined)).toEqual([]);
  });

  test('does not cancel a call of the first client', async () => {
    const { testbed, gateway, call } = await setUp();
    const id = gateway.post('tools/call', { name: 'one__wait', arguments: {} });
    await expect.poll(() => recordedLines(testbed), WITHIN).toEqual(['started', 'begun', 'begun']);
    call.interrupt();
    await call.ended;
    await expect.poll(() => recordedLines(testbed), WITHIN).toEqual(['started', 'begun', 'begun', 'cancelled']);
    expect((await runAsJson(testbed, 'status')).answer.running[0].servers).toMatchObject([{ id: 'one', underWay: 1 }]);
    gateway.send({ method: 'notifications/cancelled', params: { requestId: id } });
    await expect.poll(() => recordedLines(testbed).filter((line) => line === 'cancelled').length, WITHIN).toBe(2);
  });
});

verifies(
  'host:call:cancel-http',
  'an interrupted call through the gateway is cancelled at an HTTP server',
  async () => {
    const web = await openHttpFixture('well-behaved', { env: processes.env() });
    try {
      const testbed = configure(newTestbed(), { web: { url: web.url } });
      const gateway = await gateways.start(testbed);
      await gateway.request('tools/list');
      const call = startCall(testbed, processes, ['call', 'web.slow', 'ms=20000']);
      const sent = async (method: string) =>
        (await web.requests())
          .filter(({ method: verb, body }) => verb === 'POST' && body.includes(`"${method}"`))
          .map(({ body }) => JSON.parse(body));
      await expect.poll(async () => (await sent('tools/call')).length, WITHIN).toBe(1);
      call.interrupt();
      expect(await call.ended).toMatchObject({ status: 130 });
      const [{ id }] = await sent('tools/call');
      const cancelled = async () => (await sent('notifications/cancelled')).map(({ params }) => params.requestId);
      await expect.poll(cancelled, WITHIN).toEqual([id]);
    } finally {
      await web.close();
    }
  },
);

/** The input for each question. */
const ANSWERS: readonly (readonly [string, string])[] = [
  ['name: ', 'Ada\r'],
  ['agree [no]: ', 'y\r'],
  ['Send this to ', 'y\r'],
];

describe('a call through the gateway on a terminal', () => {
  test('shows progress and logs of its own call only', async () => {
    const body = `
      const echo = async (_, { peer, progressToken }) => {
        await peer.notify('notifications/message', { level: 'info', logger: 'db', data: 'while it works' });
        await peer.notify('notifications/progress', { progressToken, progress: 1, total: 2 });
        return text('done');
      };
      serve({ capabilities: { logging: {} }, tools: { work: { call: echo } } });`;
    const testbed = newTestbed();
    configure(testbed, { one: ownServer(testbed, body) });
    const gateway = await gateways.start(testbed, { capabilities: { elicitation: {} } });
    await gateway.request('tools/list');
    const { status, shown } = await typeOnTerminal(testbed, processes, { args: ['call', 'one.work'] });
    expect({ status, shown }).toEqual({
      status: 0,
      shown: expect.stringContaining('[mcp one info] db: while it works'),
    });
    expect(shown).toContain('1/2');
    expect(shown).toContain('done');
    expect(gateway.received.filter(({ method }) => method !== undefined)).toEqual([]);
  });

  test('asks the user there, if the first client declared elicitation', async () => {
    const testbed = configure(newTestbed(), { asks: fixture('requests-elicitation') });
    const gateway = await gateways.start(testbed, { capabilities: { elicitation: { form: {} } } });
    await gateway.request('tools/list');
    const { status, shown } = await typeOnTerminal(testbed, processes, {
      args: ['call', 'asks.ask'],
      turns: ANSWERS,
    });
    expect({ status, shown }).toEqual({ status: 0, shown: expect.stringContaining('"action":"accept"') });
    expect(gateway.received.filter(({ method }) => method !== undefined)).toEqual([]);
  });

  test('connects directly if the gateway declared no elicitation to the server', async () => {
    const testbed = configure(newTestbed(), { asks: fixture('requests-elicitation') });
    const gateway = await gateways.start(testbed, { capabilities: {} });
    await gateway.request('tools/list');
    const { status, shown } = await typeOnTerminal(testbed, processes, {
      args: ['call', 'asks.ask'],
      turns: ANSWERS,
    });
    expect({ status, shown }).toEqual({ status: 0, shown: expect.stringContaining('"action":"accept"') });
  });
});

test('a call of a server with a process for each client starts its own process', async () => {
  const testbed = configure(newTestbed(), { one: { ...fixture('keeps-state'), share: 'client' } });
  const gateway = await gateways.start(testbed);
  await gateway.request('tools/list');
  await gateway.call('one__set', { value: 'mine' });
  const { answer } = await runAsJson(testbed, 'call', 'one.get');
  expect(answer).toMatchObject({ via: 'direct' });
  expect(JSON.stringify(answer)).toContain('nothing');
});
