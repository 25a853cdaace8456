import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message, type TestClient } from './harness.ts';
import { lines, receivedMessages, receivedParams } from './scripted-lines.ts';

const { openGateway, openSingle } = gatewayHarness();

test('a cancellation reaches the server under its own id, with the reason', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  client.send(callOf('gone', 'one__say', { lines: [], answers: false }));
  client.notify('notifications/cancelled', { requestId: 'gone', reason: 'the user changed their mind ✋' });
  const messages = await receivedMessages(client, 'one__');
  const call = messages.find(({ params }) => params?.['name'] === 'say');
  expect(messages.slice(messages.lastIndexOf(call as Message) + 1)).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: call?.id, reason: 'the user changed their mind ✋' },
    },
  ]);
});

test.each([['0'], ['""'], ['-7'], ['9007199254740993'], ['"a\\/\\u00e9"'], ['1.0']])(
  'a request with the id %s is cancelled by that id',
  async (id) => {
    const { connect } = openGateway({ one: fixture('says-anything') });
    const client = await connect();
    await client.toolNames();
    client.sendLine(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"one__say","arguments":{"lines":[],"answers":false}}}`,
    );
    client.sendLine(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`);
    expect(await receivedParams(client, 'one__', 'notifications/cancelled')).toHaveLength(1);
  },
);

test('a late response and late progress of a cancelled call are dropped', async () => {
  const { connect } = openGateway({ one: fixture('answers-after-cancel') });
  const client = await connect();
  await client.toolNames();
  const from = client.received.length;
  client.send(callOf(7, 'one__wait'));
  client.notify('notifications/cancelled', { requestId: 7 });
  await isCancelled(client);
  expect(client.received.slice(from).filter(({ result }) => !/^\d$/.test(result?.content[0].text))).toEqual([]);
});

test('a cancellation without a pending request reaches no server', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  const done = await client.call('one__say', lines());
  for (const requestId of [done.id, 999, null, { id: 1 }]) client.notify('notifications/cancelled', { requestId });
  client.notify('notifications/cancelled');
  expect(await receivedParams(client, 'one__', 'notifications/cancelled')).toEqual([]);
});

test('a call that waits for its server to start is cancelled without being sent', async () => {
  const { connect } = openGateway({ one: fixture('slow-start', '300'), two: fixture('says-anything') });
  const client = await connect();
  client.send(callOf('early', 'one__echo', { text: 'never' }));
  client.notify('notifications/cancelled', { requestId: 'early' });
  expect((await client.call('one__echo', { text: 'later' })).result.content[0].text).toBe('later');
  expect(client.received.filter(({ id }) => id === 'early')).toEqual([]);
});

test('a call that waits for a single command-line server is cancelled without being sent', async () => {
  const { connect } = openSingle(fixture('says-anything'), { settings: { initTimeoutMs: 0 } });
  const client = await connect();
  client.send(callOf('early', 'say', { lines: [] }));
  client.notify('notifications/cancelled', { requestId: 'early' });
  const names = (await receivedMessages(client, '')).filter(({ method }) => method === 'tools/call');
  expect(names).toEqual([]);
  expect(client.received.filter(({ id }) => id === 'early')).toEqual([]);
});

test('a list that waits for slow servers can be cancelled', async () => {
  const { connect } = openGateway({ one: fixture('slow-start', '300') });
  const client = await connect();
  client.send({ jsonrpc: '2.0', id: 'list', method: 'tools/list' });
  client.notify('notifications/cancelled', { requestId: 'list' });
  expect(await client.toolNames()).toEqual(['one__echo']);
  expect(client.received.filter(({ id }) => id === 'list')).toEqual([]);
});

test('a list after a cancelled one waits for the same servers', async () => {
  const { connect, gateway } = openGateway({ one: fixture('slow-start', '1000') });
  const client = await connect();
  client.send({ jsonrpc: '2.0', id: 'list', method: 'tools/list' });
  await expect.poll(() => gateway.status()[0]?.where).toMatch(/^pid/);
  client.notify('notifications/cancelled', { requestId: 'list' });
  expect(await client.toolNames()).toEqual(['one__echo']);
});

test('a server cancels its requests by its own ids, with its reason, and gets no late response', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect({ capabilities: { elicitation: {}, sampling: {} } });
  const asked = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
  await client.call(
    'one__say',
    lines(
      { id: 'ask "1"', method: 'elicitation/create', params: asked },
      { id: 0, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
      { method: 'notifications/cancelled', params: { requestId: 0, reason: 'no longer needed' } },
      { method: 'notifications/cancelled', params: { requestId: 'ask "1"' } },
      { method: 'notifications/cancelled', params: { requestId: 'nothing' } },
    ),
  );
  const elicitation = await client.waitFor(({ method }) => method === 'elicitation/create');
  const sampling = await client.waitFor(({ method }) => method === 'sampling/createMessage');
  await receivedMessages(client, 'one__');
  expect(client.notifications('notifications/cancelled').map(({ params }) => params)).toEqual([
    { requestId: sampling.id, reason: 'no longer needed' },
    { requestId: elicitation.id, reason: 'The server no longer waits for a response.' },
  ]);
  client.send({ jsonrpc: '2.0', id: elicitation.id, result: { action: 'cancel' } });
  client.send({ jsonrpc: '2.0', id: sampling.id, error: { code: -1, message: 'too late' } });
  expect((await receivedMessages(client, 'one__')).filter(({ method }) => method === undefined)).toEqual([]);
});

test('the requests of a crashed server are cancelled', async () => {
  const { connect, gateway } = openGateway({ one: fixture('well-behaved'), two: fixture('requests-elicitation') });
  const client = await connect({ capabilities: { elicitation: {} } });
  client.send(callOf('ask', 'two__ask'));
  const question = await client.waitFor(({ method }) => method === 'elicitation/create');
  process.kill(Number(gateway.upstreams()[1]?.where?.replace('pid ', '')), 'SIGKILL');
  const withdrawn = await client.waitFor(({ method }) => method === 'notifications/cancelled');
  expect(withdrawn.params).toEqual({
    requestId: question.id,
    reason: 'The server no longer waits for a response.',
  });
  expect((await client.answer('ask')).error?.data).toMatchObject({ kind: 'server_error', retryable: false });
});

test('the requests of a server that crashes before it is ready are cancelled too', async () => {
  const { connect, gateway } = openGateway({ one: fixture('requests-before-ready') });
  const client = await connect({ capabilities: { roots: {} } });
  const question = await client.waitFor(({ method }) => method === 'roots/list');
  process.kill(Number(gateway.upstreams()[0]?.where?.replace('pid ', '')), 'SIGKILL');
  const withdrawn = await client.waitFor(({ method }) => method === 'notifications/cancelled');
  expect(withdrawn.params).toEqual({ requestId: question.id, reason: 'The server no longer waits for a response.' });
});

function callOf(id: string | number, name: string, args: Record<string, unknown> = {}) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** The fixture receives it slightly later than the next call. */
async function isCancelled(client: TestClient): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { result } = await client.call('one__cancelled');
    if (result.content[0].text === '1') return;
  }
  throw new Error('The server has not been told.');
}
