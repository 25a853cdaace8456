import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type Message } from './harness.ts';
import { lines, receivedMessages } from './scripted-lines.ts';

const { openGateway } = gatewayHarness();

const FORM = {
  mode: 'form',
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, agree: { type: 'boolean', default: false } },
    required: ['name'],
  },
};
const URL = { mode: 'url', message: 'Please sign in', url: 'https://example.com/sign-in?id=1', elicitationId: 'one' };
const SAMPLING = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 100 };

describe('a server request reaches a client that can answer it, and the response reaches the server', () => {
  test.each([
    ['a form', fixture('requests-elicitation'), { elicitation: {} }, 'elicitation/create', FORM],
    [
      'a form, declared by name',
      fixture('requests-elicitation'),
      { elicitation: { form: {} } },
      'elicitation/create',
      FORM,
    ],
    ['a web page', fixture('requests-elicitation', '--url'), { elicitation: { url: {} } }, 'elicitation/create', URL],
    ['a sampling request', fixture('requests-sampling'), { sampling: {} }, 'sampling/createMessage', SAMPLING],
    ['a roots request', fixture('requests-roots'), { roots: { listChanged: true } }, 'roots/list', undefined],
  ])('%s', async (_, server, capabilities, method, params) => {
    const { connect } = openGateway({ other: fixture('well-behaved'), one: server });
    const client = await connect({ capabilities });
    const answer = { action: 'accept', content: { name: 'Ada', big: 1.5 }, _meta: { vendor: [null] }, unknown: true };
    client.onRequest = () => ({ result: answer });
    const { result } = await client.call('one__ask', { prompt: 'Hi' });
    const asked = client.received.filter((message) => message.method !== undefined && message.id !== undefined);
    expect(asked).toEqual([
      { jsonrpc: '2.0', id: expect.any(Number), method, ...(params === undefined ? {} : { params }) },
    ]);
    expect(JSON.parse(result.content[0].text)).toEqual({ jsonrpc: '2.0', id: 0, result: answer });
  });
});

test('the completion of a URL elicitation reaches the client', async () => {
  const { connect } = openGateway({ one: fixture('requests-elicitation', '--url') });
  const client = await connect({ capabilities: { elicitation: { url: {} } } });
  client.onRequest = () => ({ result: { action: 'accept' } });
  await client.call('one__ask');
  const completed = await client.waitFor(({ method }) => method === 'notifications/elicitation/complete');
  expect(completed).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/elicitation/complete',
    params: { elicitationId: 'one' },
  });
});

verifies('gateway:aggregate:transparent', 'an error from the client reaches the server unchanged', async () => {
  const { connect } = openGateway({ one: fixture('requests-sampling') });
  const client = await connect({ capabilities: { sampling: {} } });
  const error = { code: -1, message: 'User rejected\nit', data: { why: ['no'] } };
  client.onRequest = () => ({ error });
  const { result } = await client.call('one__ask');
  expect(JSON.parse(result.content[0].text)).toEqual({ jsonrpc: '2.0', id: 0, error });
});

describe('a request for an undeclared capability is answered without the client', () => {
  test.each([
    [
      'no sampling',
      'requests-sampling',
      [],
      {},
      { code: -32601, message: 'Method not found: the client has no sampling.' },
    ],
    ['no roots', 'requests-roots', [], {}, { code: -32601, message: 'Method not found: the client has no roots.' }],
    [
      'no elicitation',
      'requests-elicitation',
      [],
      { sampling: {} },
      { code: -32601, message: 'Method not found: the client has no elicitation.' },
    ],
    [
      'no URL elicitation',
      'requests-elicitation',
      ['--url'],
      { elicitation: {} },
      { code: -32602, message: 'The client does not support elicitation of mode "url".' },
    ],
    [
      'no form elicitation',
      'requests-elicitation',
      [],
      { elicitation: { url: {} } },
      { code: -32602, message: 'The client does not support elicitation of mode "form".' },
    ],
  ] as const)('%s', async (_, name, options, capabilities, error) => {
    const { connect } = openGateway({ one: fixture(name, ...options) });
    const client = await connect({ capabilities });
    const { result } = await client.call('one__ask');
    expect(JSON.parse(result.content[0].text)).toEqual({ jsonrpc: '2.0', id: 0, error });
    expect(client.received.filter((message) => message.method !== undefined && message.id !== undefined)).toEqual([]);
  });
});

verifies(
  'gateway:aggregate:transparent',
  'a server request of an unknown kind reaches the client, and the refusal reaches the server',
  async () => {
    const { connect } = openGateway({ one: fixture('says-anything') });
    const client = await connect();
    client.onRequest = ({ method }) => ({ error: { code: -32601, message: `no ${method}` } });
    await client.call('one__say', lines({ id: 'q', method: 'vendor/ask', params: { any: ['thing'] } }));
    const question = await client.waitFor(({ method }) => method === 'vendor/ask');
    expect(question).toEqual({
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: 'vendor/ask',
      params: { any: ['thing'] },
    });
    expect(await receivedAnswers(client)).toEqual([
      { jsonrpc: '2.0', id: 'q', error: { code: -32601, message: 'no vendor/ask' } },
    ]);
  },
);

test('the gateway answers the ping of a server itself, under the same id', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect();
  await client.call('one__say', lines('{"jsonrpc":"2.0","id":"p\\u0041","method":"ping"}', { id: 0, method: 'ping' }));
  expect(await receivedAnswers(client)).toEqual([
    { jsonrpc: '2.0', id: 'pA', result: {} },
    { jsonrpc: '2.0', id: 0, result: {} },
  ]);
  expect(client.received.filter(({ method }) => method === 'ping')).toEqual([]);
});

test('a server may use the ids and tokens of the client for its own requests', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect({ capabilities: { sampling: {} } });
  await client.toolNames();
  client.send({
    jsonrpc: '2.0',
    id: 5,
    method: 'tools/call',
    params: {
      name: 'one__say',
      _meta: { progressToken: 5 },
      arguments: {
        ...lines(
          { id: 5, method: 'sampling/createMessage', params: { ...SAMPLING, _meta: { progressToken: 'up' } } },
          { id: '5', method: 'sampling/createMessage', params: { ...SAMPLING, _meta: { progressToken: 5 } } },
        ),
      },
    },
  });
  const [first, second] = [
    await client.waitFor(({ method }) => method === 'sampling/createMessage'),
    await client.waitFor(
      (message) =>
        message.method === 'sampling/createMessage' &&
        message !== client.received.find((other) => other.method === message.method),
    ),
  ];
  expect([first, second].map(({ params }) => params?.['_meta'])).toEqual([
    { progressToken: first.id },
    { progressToken: second.id },
  ]);
  client.notify('notifications/progress', { progressToken: second.id, progress: 1, vendor: 'kept' });
  client.notify('notifications/progress', { progressToken: first.id, progress: 2 });
  client.notify('notifications/progress', { progressToken: 'made up', progress: 3 });
  client.send({ jsonrpc: '2.0', id: second.id, result: { second: true } });
  client.send({ jsonrpc: '2.0', id: first.id, result: { first: true } });
  expect((await client.answer(5)).result).toEqual({ content: [{ type: 'text', text: 'said' }] });
  expect((await receivedMessages(client, 'one__')).filter(isAnswerOrProgress)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 5, progress: 1, vendor: 'kept' } },
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'up', progress: 2 } },
    { jsonrpc: '2.0', id: '5', result: { second: true } },
    { jsonrpc: '2.0', id: 5, result: { first: true } },
  ]);
});

describe('before the client is ready', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 'hello',
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {} },
      clientInfo: { name: 'slow', version: '1' },
    },
  };
  const roots = (id: number | string) => JSON.stringify({ jsonrpc: '2.0', id, method: 'roots/list' });

  test('requests and notifications wait in order, and cancelled requests are never sent', async () => {
    const log = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } });
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}';
    const first = JSON.stringify([roots(1), log, roots(2), roots('three'), cancel]);
    const { open } = openGateway({ one: fixture('says-anything', first) });
    const client = open();
    client.send(initialize);
    await client.toolNames();
    await client.call('one__heard');
    const from = client.received.length;
    expect(client.received.filter(({ method }) => method !== undefined)).toEqual([]);
    client.notify('notifications/initialized');
    expect(client.received.slice(from).map(({ method }) => method)).toEqual([
      'roots/list',
      'notifications/message',
      'roots/list',
    ]);
    for (const { id, method } of client.received.slice(from)) {
      if (method === 'roots/list') client.send({ jsonrpc: '2.0', id, result: { roots: [] } });
    }
    expect(await receivedAnswers(client)).toEqual([
      { jsonrpc: '2.0', id: 1, result: { roots: [] } },
      { jsonrpc: '2.0', id: 'three', result: { roots: [] } },
    ]);
  });

  test('only the request of the restarted server is sent, not that of the crashed one', async () => {
    const { open, gateway } = openGateway({ one: fixture('says-anything', JSON.stringify([roots('again')])) });
    const client = open();
    client.send(initialize);
    await client.call('one__heard');
    process.kill(Number(gateway.upstreams()[0]?.where?.replace('pid ', '')), 'SIGKILL');
    // The first may be lost in the crash.
    await client.call('one__heard');
    await client.call('one__heard');
    client.notify('notifications/initialized');
    const asked = client.received.filter(({ method }) => method === 'roots/list');
    expect(asked).toEqual([{ jsonrpc: '2.0', id: expect.any(Number), method: 'roots/list' }]);
    client.send({ jsonrpc: '2.0', id: asked[0]?.id, result: { roots: [] } });
    expect(await receivedAnswers(client)).toEqual([{ jsonrpc: '2.0', id: 'again', result: { roots: [] } }]);
  });

  test('a limited number of requests waits, and later ones are asked to retry', async () => {
    const first = JSON.stringify(Array.from({ length: 300 }, (_, id) => roots(id)));
    const { open } = openGateway({ one: fixture('says-anything', first) });
    const client = open();
    client.send(initialize);
    await client.toolNames();
    const refused = await receivedAnswers(client);
    expect(refused).toEqual(
      Array.from({ length: 44 }, (_, index) => ({
        jsonrpc: '2.0',
        id: 256 + index,
        error: { code: 1034, message: 'The client is not ready yet.' },
      })),
    );
    client.notify('notifications/initialized');
    expect(client.received.filter(({ method }) => method === 'roots/list')).toHaveLength(256);
  });
});

async function receivedAnswers(client: Parameters<typeof receivedMessages>[0]): Promise<Message[]> {
  return (await receivedMessages(client, 'one__')).filter(({ method }) => method === undefined);
}

function isAnswerOrProgress({ method }: Message): boolean {
  return method === undefined || method === 'notifications/progress';
}
