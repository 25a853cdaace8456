import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message } from './harness.ts';
import { statusOf, untilState } from './status-of.ts';

/** Messages beyond all bounds: they cost the server that sends them its connection, and nobody else anything. */
const { openGateway } = gatewayHarness();

const textIn = ({ result }: Message): string => result.content[0].text;

test('a line that never ends costs its server the connection; others go on, and the server is started again', async () => {
  const { connect, gateway } = openGateway({ bad: fixture('endless-line', '200'), good: fixture('well-behaved') });
  const client = await connect();
  await client.toolNames();
  const [endless, other] = await Promise.all([client.call('bad__endless'), client.call('good__slow', { ms: 50 })]);
  expect(endless.error).toMatchObject({
    code: 1013,
    data: { kind: 'server_error', retryable: false, serverName: 'bad' },
  });
  expect(endless.error?.message).toBe(
    'Server error: bad sent too much at once: A line is over the limit of 67108864 bytes.',
  );
  expect(textIn(other)).toBe('slept 50 ms');
  expect(textIn(await client.call('bad__echo', { text: 'again' }))).toBe('again');
  expect(statusOf(gateway, 'bad').restarts).toBe(1);
});

test('a large answer passes whole', async () => {
  const { connect } = openGateway({ big: fixture('huge-line', '30') });
  const client = await connect();
  await client.toolNames();
  expect(textIn(await client.call('big__huge')).length).toBe(30 * 2 ** 20);
});

test('lines that several servers never end may together be only so long: the longest goes, a short answer does not', async () => {
  const many = Object.fromEntries(
    [1, 2, 3, 4, 5].map((number) => [`bad${number}`, fixture('endless-line', String(50 + number))]),
  );
  const { connect, gateway } = openGateway({ ...many, good: fixture('huge-line', '1') });
  const client = await connect();
  await client.toolNames();
  const ended: string[] = [];
  for (const id of Object.keys(many)) void client.call(`${id}__endless`).then(() => ended.push(id));
  await expect.poll(() => ended.length, { timeout: 30_000 }).toBe(1);
  expect(textIn(await client.call('good__huge')).length).toBe(2 ** 20);
  const [gone = ''] = ended;
  await untilState(gateway, gone, 'ready');
  expect(
    Object.keys(many)
      .map((id) => statusOf(gateway, id).restarts ?? 0)
      .toSorted(),
  ).toEqual([0, 0, 0, 0, 1]);
  expect(statusOf(gateway, 'good').restarts ?? 0).toBe(0);
});
