import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message, type TestClient } from './harness.ts';
import { lines } from './scripted-lines.ts';

const { openGateway } = gatewayHarness();

test('all progress reaches the client in order and before the result', async () => {
  const { connect } = openGateway({ one: fixture('floods-progress') });
  const client = await connect();
  const { result } = await client.call('one__flood', { count: 3_000 }, { _meta: { progressToken: 'mine' } });
  expect(result).toEqual({ content: [{ type: 'text', text: 'sent 3000' }] });
  const about = client.received.slice(1);
  expect(about.slice(0, -1)).toEqual(
    Array.from({ length: 3_000 }, (_, index) => progressOf('mine', { progress: index + 1, total: 3_000 })),
  );
  expect(about.at(-1)).toMatchObject({ result });
});

test('progress that arrives with the response is forwarded before it, and later progress is dropped', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  const from = client.received.length;
  const progress = (n: number) => ({
    method: 'notifications/progress',
    params: { progressToken: '$token', progress: n, message: 'naïve', vendor: { deep: [1] } },
  });
  client.send(
    callOf('p', 'one__say', {
      ...lines(progress(1), progress(2), { id: '$id', result: { content: [] } }, progress(3)),
      answers: false,
    }),
  );
  await client.answer('p');
  await client.request('ping');
  expect(client.received.slice(from, -1)).toEqual([
    progressOf('token', { progress: 1, message: 'naïve', vendor: { deep: [1] } }),
    progressOf('token', { progress: 2, message: 'naïve', vendor: { deep: [1] } }),
    { jsonrpc: '2.0', id: 'p', result: { content: [] } },
  ]);
});

test.each([['0'], ['""'], ['-1'], ['"0"'], ['1.5'], ['9007199254740993'], ['"\\u0061\\/\\"é"']])(
  'progress arrives under the token %s that the client chose',
  async (token) => {
    const { connect } = openGateway({ one: fixture('well-behaved') });
    const client = await connect();
    await client.toolNames();
    const from = client.lines.length;
    client.sendLine(
      `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"_meta":{"progressToken":${token}},"name":"one__slow","arguments":{"ms":4}}}`,
    );
    await client.answer('c');
    expect(client.lines.slice(from, -1)).toEqual(
      [1, 2, 3, 4].map(
        (n) =>
          `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${n},"total":4}}`,
      ),
    );
  },
);

test('other requests have progress too, under an unrounded token', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect();
  await client.request('prompts/list');
  const from = client.lines.length;
  client.sendLine(
    '{"jsonrpc":"2.0","id":"c","method":"prompts/get","params":{"name":"one__greet","_meta":{"progressToken":9007199254740993}}}',
  );
  await client.answer('c');
  expect(client.lines[from]).toBe(
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9007199254740993,"progress":1}}',
  );
});

test('a call without a progress token gets no progress, whatever token its server invents', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.toolNames();
  const guesses = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, '5', null, 'x'].map((progressToken) => ({
    method: 'notifications/progress',
    params: { progressToken, progress: 1 },
  }));
  expect(await client.call('one__say', lines(...guesses))).toMatchObject({ result: {} });
  await ended(client);
  expect(client.notifications('notifications/progress')).toEqual([]);
});

function progressOf(progressToken: string | number, params: Record<string, unknown>): Message {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, ...params } };
}

function callOf(id: string, name: string, args: Record<string, unknown>): Message {
  return {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, _meta: { progressToken: 'token' } },
  };
}

/** Resolves when everything that the server wrote before this response has been read. */
async function ended(client: TestClient): Promise<void> {
  await client.call('one__heard');
}
