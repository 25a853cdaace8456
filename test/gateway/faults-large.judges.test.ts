import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message } from './harness.ts';
import { statusOf, untilState } from './server-status.ts';

/** A message over the size limit fails its own call, or at most ends its server's connection. Other servers go on. */
const { openGateway } = gatewayHarness();

const TOO_MUCH = (id: string) =>
  `Server error: ${id} sent too much at once (request less data): A line is over the limit of 67108864 bytes.`;

const textIn = ({ result }: Message): string => result.content[0].text;

test('a response over the limit fails its own call, and other calls to that server are answered', async () => {
  const { connect, gateway } = openGateway({ big: fixture('huge-line', '65') });
  const client = await connect();
  await client.toolNames();
  const held = client.call('big__held');
  expect((await client.call('big__huge')).error).toMatchObject({ code: 1013, message: TOO_MUCH('big') });
  expect((await client.call('big__huge', { idLast: true })).error).toMatchObject({
    code: 1013,
    message: TOO_MUCH('big'),
  });
  expect(textIn(await client.call('big__release'))).toBe('released');
  expect(textIn(await held)).toBe('was held');
  expect(statusOf(gateway, 'big').restarts ?? 0).toBe(0);
});

test('an endless line fails its call at once; others continue, and its server is restarted', async () => {
  const { connect, gateway } = openGateway({ bad: fixture('endless-line', '200'), good: fixture('well-behaved') });
  const client = await connect();
  await client.toolNames();
  const [endless, other] = await Promise.all([client.call('bad__endless'), client.call('good__slow', { ms: 50 })]);
  expect(endless.error).toMatchObject({
    code: 1013,
    data: { kind: 'server_error', retryable: false, serverName: 'bad' },
  });
  expect(endless.error?.message).toBe(TOO_MUCH('bad'));
  expect(textIn(other)).toBe('slept 50 ms');
  await expect.poll(() => statusOf(gateway, 'bad').restarts, { timeout: 30_000 }).toBe(1);
  expect(textIn(await client.call('bad__echo', { text: 'again' }))).toBe('again');
});

test('a response that follows an endless line is not lost', async () => {
  const { connect, gateway } = openGateway({ bad: fixture('endless-line', '65') });
  const client = await connect();
  await client.toolNames();
  expect((await client.call('bad__endless')).error).toMatchObject({ code: 1013 });
  expect(textIn(await client.call('bad__echo', { text: 'again' }))).toBe('again');
  expect(statusOf(gateway, 'bad').restarts ?? 0).toBe(0);
});

test('a large response passes unchanged', async () => {
  const { connect } = openGateway({ big: fixture('huge-line', '30') });
  const client = await connect();
  await client.toolNames();
  expect(textIn(await client.call('big__huge')).length).toBe(30 * 2 ** 20);
});

test('endless lines of several servers share one limit: the longest is dropped, a short response is not', async () => {
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
  const restarts = () => Object.keys(many).map((id) => statusOf(gateway, id).restarts ?? 0);
  await expect.poll(() => restarts().toSorted(), { timeout: 30_000 }).toEqual([0, 0, 0, 0, 1]);
  const [gone = ''] = ended;
  await untilState(gateway, gone, 'ready');
  expect(statusOf(gateway, 'good').restarts ?? 0).toBe(0);
});
