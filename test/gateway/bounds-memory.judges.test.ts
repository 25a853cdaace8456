import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { type ConfiguredGateway, gatewayFor, longTimeoutEnv } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { CliProcess } from './cli-process.ts';

/** The memory of a real gateway when servers send endlessly and the client does not read. */
const processes = trackProcesses();

const configs: ConfiguredGateway[] = [];
afterEach(() => {
  for (const config of configs.splice(0)) config[Symbol.dispose]();
});

/** The memory of a gateway stays below this, whatever it receives. */
const MAX_MIB = 200;

async function start(servers: Parameters<typeof gatewayFor>[0]): Promise<CliProcess> {
  const config = gatewayFor(servers);
  configs.push(config);
  const gateway = new CliProcess(config, processes, longTimeoutEnv);
  await gateway.initialize();
  return gateway;
}

/** Waits until it reads no more from anyone. */
async function waitUntilIdle(gateway: CliProcess): Promise<void> {
  for (let before = -1, now = gateway.bytesRead(); before !== now; now = gateway.bytesRead()) {
    before = now;
    await delay(300);
  }
}

async function leave(gateway: CliProcess): Promise<void> {
  gateway.readAgain();
  gateway.endInput();
  await gateway.exited;
}

test('servers that flood logs are paused while the client does not read, and resume when it does', async () => {
  const gateway = await start({
    a: fixture('floods-stdout'),
    b: fixture('floods-stdout'),
    c: fixture('floods-stdout'),
  });
  gateway.stopReading();
  await waitUntilIdle(gateway);
  expect(gateway.peakMib()).toBeLessThan(MAX_MIB);
  gateway.readAgain();
  const { result } = await gateway.call('b__echo', { text: 'heard' });
  expect(result.content).toEqual([{ type: 'text', text: 'heard' }]);
  expect(gateway.peakMib()).toBeLessThan(MAX_MIB);
  await leave(gateway);
});

test('a flood of progress waits for a client that does not read, in order and without loss', {
  timeout: 180_000,
}, async () => {
  const count = 100_000;
  const gateway = await start({ one: fixture('floods-progress') });
  gateway.stopReading();
  const id = gateway.post('tools/call', { name: 'one__flood', arguments: { count }, _meta: { progressToken: 'p' } });
  await waitUntilIdle(gateway);
  expect(gateway.peakMib()).toBeLessThan(MAX_MIB);
  gateway.readAgain();
  // A slow machine needs longer for so many messages than `answer` waits.
  await expect.poll(() => gateway.received.at(-1)?.id, { timeout: 120_000 }).toBe(id);
  expect((await gateway.answer(id)).result.content[0].text).toBe(`sent ${count}`);
  const seen = gateway.received.filter(({ method }) => method === 'notifications/progress');
  expect(seen.map(({ params }) => params?.['progress'])).toEqual(
    Array.from({ length: count }, (_, index) => index + 1),
  );
  await leave(gateway);
});

test('a flood of list_changed notifications costs no memory', async () => {
  const gateway = await start({ one: fixture('floods-list-changed', '200000') });
  gateway.stopReading();
  await waitUntilIdle(gateway);
  expect(gateway.peakMib()).toBeLessThan(MAX_MIB);
  gateway.readAgain();
  expect((await gateway.call('one__echo', { text: 'well' })).result.content[0].text).toBe('well');
  await leave(gateway);
});

test('drops a line of a gigabyte at the limit and frees its memory', async () => {
  const gateway = await start({ bad: fixture('endless-line', '1000'), good: fixture('well-behaved') });
  const endless = gateway.call('bad__endless');
  expect((await gateway.call('good__echo', { text: 'meanwhile' })).result.content[0].text).toBe('meanwhile');
  expect((await endless).error?.code).toBe(1013);
  expect(gateway.peakMib()).toBeLessThan(MAX_MIB);
  expect((await gateway.call('bad__echo', { text: 'again' })).result.content[0].text).toBe('again');
  await leave(gateway);
});

test('a line that consists of brackets is not parsed, which would take gigabytes', async () => {
  const gateway = await start({ bad: fixture('says-anything'), good: fixture('well-behaved') });
  const bomb = gateway.call('bad__say', { lines: ['['.repeat(20 * 2 ** 20)] });
  expect((await gateway.call('good__echo', { text: 'meanwhile' })).result.content[0].text).toBe('meanwhile');
  expect((await bomb).error?.code).toBe(1104);
  expect(gateway.peakMib()).toBeLessThan(MAX_MIB);
  await leave(gateway);
});
