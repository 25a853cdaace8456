import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message } from './harness.ts';

/** Calls that one server cannot accept fail at once, are retryable, and do not affect other servers. */
const { openGateway } = gatewayHarness();

const BUSY = { code: 1034, data: { kind: 'server_error', retryable: true, serverName: 'one' } };

test('1024 calls may be pending at one server; the next fails as busy, but not at another server', async () => {
  const { connect } = openGateway({ one: fixture('hangs-at-call'), two: fixture('well-behaved') });
  const client = await connect();
  await client.toolNames();
  for (let id = 1; id <= 1024; id++) client.send(hang(`h${id}`));
  client.send(hang('one too many'));
  const { error } = await client.answer('one too many');
  expect(error).toMatchObject(BUSY);
  expect(error?.message).toBe('Server error: one is busy: 1024 calls are pending. Try again in a moment.');
  expect((await client.call('two__echo', { text: 'here' })).result.content[0].text).toBe('here');
  client.notify('notifications/cancelled', { requestId: 'h7' });
  expect((await client.call('one__echo', { text: 'and here again' })).result.content[0].text).toBe('and here again');
});

test('32 MiB may be queued for a server that does not read; the next call fails as busy, but not at another server', async () => {
  const { connect } = openGateway({ one: fixture('stops-reading'), two: fixture('well-behaved') });
  const client = await connect();
  await client.toolNames();
  await client.call('one__deaf');
  const large = { filling: 'x'.repeat(4 * 2 ** 20) };
  const sent = Array.from({ length: 12 }, (_, index) => {
    client.send({
      jsonrpc: '2.0',
      id: `l${index}`,
      method: 'tools/call',
      params: { name: 'one__write', arguments: large },
    });
    return `l${index}`;
  });
  const last = await client.answer(sent.at(-1) ?? '');
  expect(last.error).toMatchObject(BUSY);
  expect(last.error?.message).toBe('Server error: one is busy: it does not read its input. Try again in a moment.');
  const busy = client.received.filter(({ error }) => error !== undefined).length;
  // Eight of them are 32 MiB, not counting what the pipe accepted.
  expect(busy).toBeGreaterThanOrEqual(2);
  expect(busy).toBeLessThanOrEqual(4);
  expect((await client.call('two__echo', { text: 'here' })).result.content[0].text).toBe('here');
});

test('a flood of progress notifications arrives in order and before the result', async () => {
  const { connect } = openGateway({ one: fixture('floods-progress') });
  const client = await connect();
  await client.toolNames();
  const { result } = await client.call('one__flood', { count: 10_000 }, { _meta: { progressToken: 'p' } });
  expect(result.content[0].text).toBe('sent 10000');
  const seen = client.notifications('notifications/progress').map(({ params }) => params?.['progress']);
  expect(seen).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
});

function hang(id: string): Partial<Message> {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'one__hang', arguments: {} } };
}
