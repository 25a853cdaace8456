import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message } from './harness.ts';
import { lines, receivedMessages } from './scripted-lines.ts';

const { openGateway } = gatewayHarness();

const IDS = [
  '0',
  '""',
  '-1',
  '1.5',
  '-0',
  '9007199254740993',
  '123456789012345678901234567890',
  '"1"',
  '"\\u0000\\/\\"\\ud800é😀"',
  '"__proto__"',
  '"null"',
];

describe('a response carries the id exactly as it was sent', () => {
  test.each(IDS)('%s', async (id) => {
    const { connect } = openGateway({ one: fixture('says-anything') });
    const client = await connect();
    await client.toolNames();
    const answer = async (request: string) => {
      const from = client.lines.length;
      client.sendLine(`{"jsonrpc":"2.0","id":${id},${request}}`);
      await client.waitFor((message) => client.received.indexOf(message) >= from);
      expect(client.lines[from]).toContain(`"id":${id}`);
      return client.received[from];
    };
    expect(await answer('"method":"ping"')).toMatchObject({ result: {} });
    expect(await answer('"method":"tools/list"')).toMatchObject({ result: { tools: [{}, {}] } });
    expect(await answer('"method":"nope"')).toMatchObject({ error: { code: -32601 } });
    expect(await answer('"method":"tools/call","params":{"name":"none"}')).toMatchObject({ error: { code: -32602 } });
    const say = (line: string) =>
      `"method":"tools/call","params":{"name":"one__say","arguments":{"lines":[${JSON.stringify(line)}],"answers":false}}`;
    expect(await answer(say('{"jsonrpc":"2.0","id":"$id","result":{"a":1}}'))).toMatchObject({ result: { a: 1 } });
    expect(await answer(say('{"jsonrpc":"2.0","id":"$id","error":{"code":7,"message":"m"}}'))).toMatchObject({
      error: { code: 7 },
    });
    expect(await answer(say('{"jsonrpc":"2.0","id":"$id","error":{"code":-32042,"message":"m"}}'))).toMatchObject({
      error: { code: -32042, message: 'm' },
    });
  });
});

test.each([
  ['null', 'a complaint', { code: -32600, message: 'An id must be a string or a number.' }],
  ['true', 'an error', { code: -32600, message: 'An id must be a string or a number.' }],
  ['{}', 'an error', { code: -32600, message: 'An id must be a string or a number.' }],
])('a request with the id %s gets %s', async (id, _, error) => {
  const { connect } = openGateway({ one: fixture('well-behaved') });
  const client = await connect();
  const from = client.received.length;
  client.sendLine(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
  await client.request('ping');
  const expected = error === undefined ? [] : [{ jsonrpc: '2.0', id: null, error }];
  expect(client.received.slice(from, -1)).toEqual(expected);
});

test('an invalid message gets an error, and the next message is read', async () => {
  const { connect } = openGateway({ one: fixture('well-behaved') });
  const client = await connect();
  const from = client.received.length;
  for (const line of ['{', '7', '"x"', 'null', '{}', '{"jsonrpc":"2.0","id":5}', '{"id":"i","method":7}', '[]']) {
    client.sendLine(line);
  }
  await client.request('ping');
  expect(client.received.slice(from, -1).map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [5, -32600],
    ['i', -32601],
    [null, -32600],
  ]);
});

test('concurrent calls are answered under their own ids, in any order', async () => {
  const { connect } = openGateway({ one: fixture('well-behaved'), two: fixture('well-behaved') });
  const client = await connect();
  await client.toolNames();
  const expected = new Map<unknown, string>();
  for (let n = 0; n < 300; n++) {
    const id = n % 2 === 0 ? n + 100 : String(n + 100);
    const server = n % 3 === 0 ? 'one' : 'two';
    expected.set(id, `${server} ${n}`);
    client.send(callOf(id, `${server}__echo`, { text: `${server} ${n}` }));
  }
  await Promise.all([...expected.keys()].map((id) => client.answer(id as string)));
  const answers = client.received.slice(2).map(({ id, result }) => [id, result.content[0].text]);
  expect(new Map(answers as [unknown, string][])).toEqual(expected);
  expect(answers).toHaveLength(expected.size);
});

test('a server that turns our ids into strings is fully supported', async () => {
  const { connect, gateway } = openGateway({ one: fixture('answers-with-text-ids') });
  const client = await connect();
  expect(await client.toolNames()).toEqual(['one__echo', 'one__touch']);
  expect(gateway.status()[0]?.quarantined).toEqual([
    { name: 'deep', reason: 'it is nested more than 118 levels deep' },
  ]);
  expect((await client.call('one__echo', { text: 'hi' })).result.content[0].text).toBe('hi');
  expect((await client.call('one__none')).error).toMatchObject({ code: -32602 });
  await client.request('resources/subscribe', { uri: 'a:b' });
  await client.call('one__touch', { uri: 'a:b' });
  expect(client.notifications('notifications/resources/updated').map(({ params }) => params)).toEqual([{ uri: 'a:b' }]);
});

describe('a batch', () => {
  test('gets one response with each request under its id, including requests for a server', async () => {
    const { connect } = openGateway({ one: fixture('exact-bytes'), two: fixture('well-behaved') });
    const client = await connect({ protocolVersion: '2025-03-26' });
    await client.toolNames();
    const from = client.lines.length;
    client.sendLine(
      `[${[
        '{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"two__slow","arguments":{"ms":3000}}}',
        '{"jsonrpc":"2.0","method":"notifications/vendor"}',
        '{"jsonrpc":"2.0","id":0,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"one__odd-values","arguments":{}}}',
        '{"jsonrpc":"2.0","id":2,"method":"nope"}',
        '7',
      ].join(',\n ')}]`,
    );
    await client.answer('slow');
    expect(client.lines).toHaveLength(from + 1);
    const batch = client.lines[from] ?? '';
    const answers: Message[] = JSON.parse(batch);
    expect(answers.map(({ id }) => id)).toEqual([0, 2, null, 1.5, 'slow']);
    expect(answers.map(({ error }) => error?.code)).toEqual([undefined, -32601, -32600, undefined, undefined]);
    expect(batch).toContain('"id":1.5,"result":{"content":[],"structuredContent":{"big":9007199254740993,"float":1.0');
  });

  test('with a cancelled request is answered without it', async () => {
    const { connect } = openGateway({ one: fixture('hangs-at-call') });
    const client = await connect();
    await client.toolNames();
    client.send([callOf('hang', 'one__hang'), { jsonrpc: '2.0', id: 'ping', method: 'ping' }]);
    client.notify('notifications/cancelled', { requestId: 'hang' });
    await client.answer('ping');
    expect(JSON.parse(client.lines.at(-1) ?? '')).toEqual([{ jsonrpc: '2.0', id: 'ping', result: {} }]);
  });

  test('treats unknown tools and starting servers as single calls do', async () => {
    const { connect } = openGateway({ one: fixture('slow-start', '150') });
    const client = await connect({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
    client.send([callOf('early', 'one__echo', { text: 'early' }), callOf('none', 'none')]);
    expect((await client.answer('early')).result.content).toEqual([{ type: 'text', text: 'early' }]);
    expect((await client.answer('none')).result).toMatchObject({
      isError: true,
      _meta: { 'switchboard/error': { kind: 'tool_error', toolName: 'none' } },
    });
  });

  test('may contain responses to server requests', async () => {
    const { connect } = openGateway({ one: fixture('says-anything') });
    const client = await connect({ capabilities: { roots: {} } });
    await client.call('one__say', lines({ id: 'a', method: 'roots/list' }, { id: 'b', method: 'roots/list' }));
    const asked = client.received.filter(({ method }) => method === 'roots/list');
    client.send([
      { jsonrpc: '2.0', id: asked[0]?.id, result: { roots: [] } },
      { jsonrpc: '2.0', id: asked[1]?.id, error: { code: 1, message: 'no' } },
    ]);
    expect((await receivedMessages(client, 'one__')).filter(({ method }) => method === undefined)).toEqual([
      { jsonrpc: '2.0', id: 'a', result: { roots: [] } },
      { jsonrpc: '2.0', id: 'b', error: { code: 1, message: 'no' } },
    ]);
  });
});

function callOf(id: string | number, name: string, args: Record<string, unknown> = {}) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

test('a request without a usable id is not forwarded as a notification and fails no pending call', async () => {
  const { connect } = openGateway({ one: fixture('says-anything'), two: fixture('well-behaved') });
  const client = await connect();
  await client.toolNames();
  const slow = client.call('two__slow', { ms: 300 });
  client.sendLine('{"jsonrpc":"2.0","id":null,"method":"tools/list"}');
  client.sendLine('{"jsonrpc":"2.0","method":"tools/list"}');
  expect((await slow).error).toBeUndefined();
  const { result } = await client.call('one__heard');
  expect(result.content[0].text.match(/tools\/list/g)).toHaveLength(1);
});
