import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type TestServer } from '../gateway/harness.ts';
import { lines } from '../gateway/scripted-lines.ts';
import { verifies } from '../verifies.ts';
import { ExchangeClient } from './exchange-client.ts';

const { openGateway } = gatewayHarness();

verifies(
  'gateway:http:crossing',
  'progress and responses reach the exchange of their call, even if calls share an id and a token',
  async () => {
    const client = await connect({ one: fixture('floods-progress') });
    const calls = [3, 5, 7].map((count) => client.call(1, 'one__flood', { count }, 1));
    const responses = await Promise.all(calls.map(({ response }) => response));
    expect(responses.map((message) => message?.result.content[0].text)).toEqual(['sent 3', 'sent 5', 'sent 7']);
    expect(calls.map(({ sent }) => sent.map(({ params }) => params?.['total']))).toEqual([
      [3, 3, 3],
      [5, 5, 5, 5, 5],
      [7, 7, 7, 7, 7, 7, 7],
    ]);
    expect(client.output).toEqual([]);
  },
);

test('a server request reaches the exchange of the only call, and its answer gets no response', async () => {
  const client = await connect({ one: fixture('requests-elicitation') }, { elicitation: {} });
  const result = { action: 'accept', content: { name: 'Ada' } };
  const answers: Promise<unknown>[] = [];
  client.onMessage = ({ id }) => answers.push(client.post({ id, result }).response);
  const call = client.call(1, 'one__ask');
  expect(JSON.parse((await call.response)?.result.content[0].text)).toMatchObject({ result });
  expect(call.sent.map(({ method }) => method)).toEqual(['elicitation/create']);
  expect(await Promise.all(answers)).toEqual([undefined]);
});

test('a log message reaches the exchange of the only call, and the client itself between calls', async () => {
  const client = await connect({ one: fixture('says-anything'), other: fixture('hangs-at-call') });
  const log = (data: string) => ({ method: 'notifications/message', params: { level: 'info', data } });
  client.call(5, 'other__hang');
  const first = client.call(1, 'one__say', lines(log('during')));
  await first.response;
  expect(first.sent.map(({ params }) => params?.['data'])).toEqual(['during']);
  const waiting = [1, 1].map(() => client.call(1, 'one__say', { ...lines(), answers: false }));
  await client.call(1, 'one__say', lines(log('of one of three'))).response;
  expect(client.output.map(({ params }) => params?.['data'])).toEqual(['of one of three']);
  expect(waiting.flatMap(({ sent }) => sent)).toEqual([]);
});

test('a message that names a call reaches the exchange of that call', async () => {
  const client = await connect({ one: fixture('says-anything') });
  const named = { method: 'vendor/event', params: { _meta: { requestId: '$id' } } };
  const other = client.call(1, 'one__say', { ...lines(), answers: false });
  const call = client.call(1, 'one__say', lines(named));
  await call.response;
  expect(call.sent.map(({ params }) => params)).toEqual([{ _meta: { requestId: 1 } }]);
  expect([other.sent, client.output]).toEqual([[], []]);
});

test('an abandoned exchange cancels its call and no other with the same id', async () => {
  const client = await connect({ one: fixture('says-anything') });
  const [first, second] = [1, 2].map(() => client.call(1, 'one__say', { ...lines(), answers: false }));
  if (first === undefined) throw new Error('unreachable');
  client.client.abandon(first);
  expect(await first.response).toBeUndefined();
  const heard = await client.call(1, 'one__heard').response;
  const received: string[] = JSON.parse(heard?.result.content[0].text);
  const calls = received.map((line) => JSON.parse(line)).filter(({ params }) => params?.name === 'say');
  const cancelled = received.map((line) => JSON.parse(line)).filter(({ method }) => method?.endsWith('/cancelled'));
  expect(cancelled.map(({ params }) => params.requestId)).toEqual([calls[0]?.id]);
  expect(second?.sent).toEqual([]);
});

test('every kind of message ends its exchange', async () => {
  const client = await connect({ one: fixture('well-behaved') });
  const ends = (message: Record<string, unknown>) => client.post(message).response;
  expect(await ends({ method: 'notifications/unknown' })).toBeUndefined();
  expect(await ends({ id: 99, result: {} })).toBeUndefined();
  expect(await ends({ id: 99, error: { code: 1, message: '' } })).toBeUndefined();
  expect(await ends({ id: null, method: 'ping' })).toMatchObject({ id: null, error: { code: -32600 } });
  expect(await ends({ id: 7 })).toMatchObject({ id: 7, error: { code: -32600 } });
  expect(await ends({ id: 7, method: 'none' })).toMatchObject({ id: 7, error: { code: -32601 } });
});

async function connect(servers: Record<string, TestServer>, capabilities?: Record<string, unknown>) {
  const client = new ExchangeClient(openGateway(servers).gateway);
  await client.initialize(capabilities);
  return client;
}
