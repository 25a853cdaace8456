import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message } from './harness.ts';

/** Servers that send more requests than a client can answer. */
const { openGateway } = gatewayHarness();

const SAMPLING = { messages: [], maxTokens: 1 };
const ask = (id: string, params: object = SAMPLING) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params });

/** The responses that the server got to its requests, by id. */
async function answersOf(client: Awaited<ReturnType<ReturnType<typeof openGateway>['connect']>>) {
  const { result } = await client.call('one__heard');
  const lines: Message[] = JSON.parse(result.content[0].text).map((line: string) => JSON.parse(line));
  return new Map(
    lines.filter(({ id, method }) => typeof id === 'string' && method === undefined).map((line) => [line.id, line]),
  );
}

test('256 requests of one server may be pending; the next is refused, but not one of another server', async () => {
  const { connect } = openGateway({ one: fixture('says-anything'), two: fixture('requests-sampling') });
  const client = await connect({ capabilities: { sampling: {} } });
  await client.toolNames();
  await client.call('one__say', { lines: Array.from({ length: 257 }, (_, index) => ask(`q${index}`)) });
  const asked = () => client.received.filter(({ method }) => method === 'sampling/createMessage');
  expect(asked()).toHaveLength(256);
  const refused = await answersOf(client);
  expect([...refused.keys()]).toEqual(['q256']);
  expect(refused.get('q256')?.error?.code).toBe(1034);
  const other = client.call('two__ask');
  const question = await client.waitFor(() => asked().length === 257).then(() => asked()[256]);
  client.send({ jsonrpc: '2.0', id: question?.id, result: { role: 'assistant' } });
  expect(JSON.parse((await other).result.content[0].text).result).toEqual({ role: 'assistant' });
});

test('server requests before the client is ready wait, up to 256 requests and 16 MiB', async () => {
  const small = Array.from({ length: 300 }, (_, index) => ask(`q${index}`));
  const large = [1, 2, 3].map((number) => ask(`l${number}`, { ...SAMPLING, filling: 'x'.repeat(7 * 2 ** 20) }));
  const { open, gateway } = openGateway({ one: fixture('says-anything') });
  const client = open();
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { sampling: {} },
    clientInfo: { name: 'test', version: '1' },
  });
  await expect.poll(() => gateway.status()[0]?.state).toBe('ready');
  await client.toolNames();
  await client.call('one__say', { lines: large });
  await client.call('one__say', { lines: small });
  expect(client.received.filter(({ method }) => method === 'sampling/createMessage')).toEqual([]);
  client.notify('notifications/initialized');
  const asked = client.received.filter(({ method }) => method === 'sampling/createMessage');
  expect(asked.filter(({ params }) => params?.['filling'] !== undefined)).toHaveLength(2);
  expect(asked).toHaveLength(256);
});
