import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message } from './harness.ts';

const { openGateway } = gatewayHarness();

const textIn = ({ result }: Message): string => result.content[0].text;

test('a hanging call times out after the limit of its entry with an error, and the server keeps running', async () => {
  const { connect } = openGateway({ one: { ...fixture('hangs-at-call'), requestTimeoutMs: 2_000 } });
  const client = await connect();
  await client.toolNames();
  expect((await client.call('one__hang')).error).toEqual({
    code: 1008,
    message: expect.stringMatching(
      /^Server error: one did not answer tools\/call within [\d.]+ m?s\. The server may have done this/,
    ),
    data: { kind: 'server_error', retryable: false, toolName: 'one__hang', serverName: 'one' },
  });
  expect(textIn(await client.call('one__echo', { text: 'well' }))).toBe('well');
});

test('a timed-out call is cancelled at the server, and its late response is dropped', async () => {
  const { connect } = openGateway({ one: { ...fixture('answers-after-cancel'), requestTimeoutMs: 2_000 } });
  const client = await connect();
  await client.toolNames();
  const expired = await client.call('one__wait');
  expect(expired.error?.code).toBe(1008);
  await expect.poll(async () => textIn(await client.call('one__cancelled'))).toBe('1');
  expect(client.received.filter(({ id }) => id === expired.id)).toHaveLength(1);
  expect(client.lines.join('\n')).not.toContain('too late');
});

test('a response after the client has cancelled is dropped', async () => {
  const { connect } = openGateway({ one: fixture('answers-after-cancel') });
  const client = await connect();
  await client.toolNames();
  client.send({ jsonrpc: '2.0', id: 'w', method: 'tools/call', params: { name: 'one__wait', arguments: {} } });
  expect(textIn(await client.call('one__cancelled'))).toBe('0');
  client.notify('notifications/cancelled', { requestId: 'w', reason: 'enough' });
  await expect.poll(async () => textIn(await client.call('one__cancelled'))).toBe('1');
  expect(client.received.filter(({ id }) => id === 'w')).toEqual([]);
});

test('progress resets the timeout of a call, and without progress the call times out', async () => {
  // The fixture reports progress every second and a half.
  const { connect } = openGateway({ one: { ...fixture('well-behaved'), requestTimeoutMs: 4_000 } });
  const client = await connect();
  await client.toolNames();
  const [talking, silent] = await Promise.all([
    client.call('one__slow', { ms: 6_000 }, { _meta: { progressToken: 'p' } }),
    client.call('one__slow', { ms: 6_000 }),
  ]);
  expect(textIn(talking)).toBe('slept 6000 ms');
  expect(silent.error?.code).toBe(1008);
});

test('a call does not time out while the client answers a server request', async () => {
  const { connect } = openGateway({ one: { ...fixture('requests-elicitation'), requestTimeoutMs: 2_000 } });
  const client = await connect({ capabilities: { elicitation: {} } });
  await client.toolNames();
  const call = client.call('one__ask');
  const question = await client.waitFor(({ method }) => method === 'elicitation/create');
  const other = openGateway({ two: { ...fixture('hangs-at-call'), requestTimeoutMs: 3_000 } });
  const watch = await other.connect();
  await watch.toolNames();
  // Wait for a call with a longer timeout to expire, so that the client answers after the timeout of its own call.
  expect((await watch.call('two__hang')).error?.code).toBe(1008);
  client.send({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'Ada' } } });
  expect(JSON.parse(textIn(await call)).result).toEqual({ action: 'accept', content: { name: 'Ada' } });
});

test('a call waits for a starting server no longer than its own timeout', async () => {
  const { connect } = openGateway({ mute: { ...fixture('hangs-at-initialize'), requestTimeoutMs: 400 } });
  const client = await connect();
  const { error } = await client.call('mute__echo');
  expect(error).toMatchObject({ code: 1008, data: { kind: 'server_error', retryable: true, serverName: 'mute' } });
});
