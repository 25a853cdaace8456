import { describe, expect, test } from 'vitest';
import { openHttpFixture } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import { modernRequest, type RawClient, toolCall } from '../kit-http/raw-client.ts';
import { verifies } from '../verifies.ts';
import { useRunningGateway } from './running-gateway.ts';

let web: Awaited<ReturnType<typeof openHttpFixture>> | undefined;
const gateway = useRunningGateway({
  config: async (processes) => {
    web = await openHttpFixture('well-behaved', { env: processes.env() });
    return {
      version: 1,
      mcp: {
        servers: {
          one: fixture('well-behaved'),
          state: fixture('keeps-state'),
          ask: fixture('requests-elicitation'),
          hang: fixture('hangs-at-call'),
          web: { url: web.url, headers: { Authorization: 'Bearer of-the-entry' } },
        },
      },
      views: { review: { servers: ['one'] }, all: {} },
    };
  },
  close: async () => web?.close(),
});

/** Opens a session of a person. */
async function session(raw: RawClient, person = 'alice', path = '/mcp') {
  const authorization = gateway().authorizationOf(person);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const opened = await raw.send({
    path,
    headers: { authorization },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  const headers = { authorization, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  await raw.send({ path, headers, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' });
  return headers;
}

/** Opens a session of a client that can be asked. */
async function asking(raw: RawClient, person: string) {
  const headers = { authorization: gateway().authorizationOf(person) };
  return (await raw.initialize({ capabilities: { elicitation: {} }, headers })).headers;
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
/** The server had received the calls. */
const OUTCOME_UNKNOWN = 1104;
const UNKNOWN = { status: 404, message: { id: null, error: { code: 1124 } } };

describe('a session', () => {
  verifies('gateway:http:session-owner', 'belongs to the token and the path that opened it', async () => {
    const raw = gateway().raw();
    const own = await session(raw);
    const foreign = { ...own, authorization: gateway().authorizationOf('bob') };
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? PING : undefined;
      const send = (headers: Record<string, string>, path = '/mcp') =>
        raw.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
      expect(await send(foreign)).toMatchObject(UNKNOWN);
      for (const path of ['/mcp/one', '/mcp/@review', '/mcp/@all'])
        expect(await send(own, path)).toMatchObject(UNKNOWN);
      const { authorization: _, ...anonymous } = own;
      expect((await send(anonymous)).status).toBe(401);
    }
    // None of them has ended it.
    expect((await raw.send({ headers: own, body: PING })).status).toBe(200);
  });

  verifies('gateway:http:session-owner', 'has an id that nobody can choose or guess', async () => {
    const raw = gateway().raw();
    const own = await session(raw);
    const id = own['mcp-session-id'];
    const other = (await session(raw))['mcp-session-id'];
    expect(other).not.toBe(id);
    for (const guess of ['', '0', 'chosen', id.slice(0, -1), `${id}a`, id.toUpperCase(), `${id}, ${id}`, '__proto__'])
      expect(await raw.send({ headers: { ...own, 'mcp-session-id': guess }, body: PING })).toMatchObject(UNKNOWN);
    // An id that a client brings to `initialize` opens no session under it.
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect(await raw.send({ headers: { ...own, 'mcp-session-id': 'chosen' }, body })).toMatchObject(UNKNOWN);
    expect(await raw.send({ headers: { ...own, 'mcp-session-id': 'chosen' }, body: PING })).toMatchObject(UNKNOWN);
  });

  test('may have two streams and two requests with one id: each message goes to one of them', async () => {
    const raw = gateway().raw();
    const headers = await session(raw);
    const streams = [
      await raw.open({ method: 'GET', headers }),
      await raw.open({ method: 'GET', headers }),
      await raw.open({ method: 'GET', headers: await session(raw) }),
    ];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const call = (text: string) => raw.post(toolCall(7, 'one__echo', { text }), headers);
    const answers = await Promise.all(['a', 'b', 'c'].map(call));
    expect(answers.map(({ message }) => [message.id, message.result])).toEqual(
      ['a', 'b', 'c'].map((text) => [7, { content: [{ type: 'text', text }] }]),
    );
    for (const stream of streams) stream.close();
  });
});

test('a client cannot answer the questions of another one, or cancel its calls', async () => {
  const raw = gateway().raw();
  const [alice, bob] = [await asking(raw, 'alice'), await asking(raw, 'bob')];
  const call = await raw.open({ headers: alice, body: JSON.stringify(toolCall('same', 'ask__ask')) });
  const { message: question } = await call.next();
  expect(question).toMatchObject({ method: 'elicitation/create' });
  const answer = { jsonrpc: '2.0', id: question?.id, result: { action: 'accept', content: { name: 'Mallory' } } };
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } };
  for (const intruder of [bob, await asking(raw, 'alice')]) {
    expect((await raw.post(answer, intruder)).status).toBe(202);
    expect((await raw.post(cancel, intruder)).status).toBe(202);
  }
  await raw.post({ ...answer, result: { action: 'accept', content: { name: 'Alice', agree: true } } }, alice);
  const { message: result } = await call.next();
  expect(JSON.stringify(result)).toContain('Alice');
  await call.ended;
});

verifies(
  'gateway:http:revoked',
  'a token that is revoked ends its calls, streams and sessions, and no others',
  async () => {
    const raw = gateway().raw();
    const [carol, bob] = [await session(raw, 'carol'), await session(raw, 'bob')];
    const stream = await raw.open({ method: 'GET', headers: carol });
    const legacy = raw.post(toolCall(1, 'one__slow', { ms: 60_000 }), carol);
    const request = modernRequest(2, 'tools/call', { name: 'one__slow', arguments: { ms: 60_000 } });
    const modern = raw.send({ ...request, headers: { ...request.headers, authorization: carol.authorization } });
    await raw.post(toolCall(3, 'one__echo', { text: 'both are running' }), carol);
    gateway().tokens.revoke('carol');
    const ended = [await legacy, await modern];
    expect(ended.map(({ status, message }) => [status, message.error?.code])).toEqual([
      [200, OUTCOME_UNKNOWN],
      [200, OUTCOME_UNKNOWN],
    ]);
    expect(await stream.ended).toBe(true);
    expect((await raw.send({ headers: carol, body: PING })).status).toBe(401);
    expect((await raw.send({ headers: bob, body: PING })).status).toBe(200);
  },
);

verifies('gateway:http:authorization', 'headers of a client reach no server', async () => {
  const raw = gateway().raw();
  const headers = await session(raw);
  const sent = {
    ...headers,
    cookie: 'mine=1',
    'x-api-key': 'mine',
    'proxy-authorization': 'Basic mine',
    forwarded: 'for=me',
  };
  const { message } = await raw.post(toolCall(1, 'web__headers'), sent);
  const received = JSON.stringify(message.result);
  expect(received).toContain('Bearer of-the-entry');
  const secret = headers.authorization.replace('Bearer ', '');
  for (const mine of [secret, headers['mcp-session-id'], 'mine', 'for=me']) expect(received).not.toContain(mine);
  const all = JSON.stringify(await web?.requests());
  expect(all).not.toContain(secret);
});

describe('a token that is limited to a view', () => {
  test('gets the same refusal for hidden servers and other views, whether they exist or not', async () => {
    const raw = gateway().raw();
    const authorization = gateway().authorizationOf('reviewer', 'review');
    const post = (path: string) => raw.send({ path, headers: { authorization }, body: PING });
    const paths = ['/mcp/state', '/mcp/none', '/mcp/@all', '/mcp/@none', '/mcp/%40all', '/mcp/@', '/mcp/__proto__'];
    const refused = await Promise.all(paths.map(post));
    expect(refused.map(({ status }) => status)).toEqual(paths.map(() => 403));
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
    expect((await post('/mcp/@review')).status).toBe(400);
    expect((await post('/mcp/one')).status).toBe(400);
  });

  test.each([
    ['a second name', '{"name":"one__echo","name":"state__get","arguments":{}}'],
    ['a second name before', '{"name":"state__get","name":"one__echo","arguments":{"text":"x"}}'],
    ['second params', '{"name":"one__echo","arguments":{"text":"x"}},"params":{"name":"state__get"}'],
    ['an escaped key', '{"name":"one__echo","n\\u0061me":"state__get","arguments":{"text":"x"}}'],
    ['another case', '{"name":"one__echo","Name":"get","NAME":"state__get","arguments":{"text":"x"}}'],
  ])('reaches no hidden tool by %s', async (_, params) => {
    const raw = gateway().raw();
    await raw.post(toolCall(1, 'state__set', { value: 'hidden' }), await session(raw));
    const authorization = gateway().authorizationOf('reviewer', 'review');
    const headers = { ...(await session(raw, 'reviewer')), authorization };
    const { text } = await raw.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, headers);
    expect(text).not.toContain('hidden');
  });
});

describe('an id', () => {
  const IDS = [
    '0',
    '-0',
    '1.0',
    '1e0',
    '1e400',
    '-1',
    '123456789012345678901234567890',
    '""',
    '"__proto__"',
    '"\\ud800"',
  ];

  test.each(IDS)('%s comes back as it was, in both eras', async (id) => {
    const raw = gateway().raw();
    const headers = await session(raw);
    const params = { name: 'one__echo', arguments: { text: 'x' } };
    const legacy = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify(params)}}`;
    expect((await raw.post(legacy, headers)).text).toContain(`"id":${id},"result"`);
    const { body, ...modern } = modernRequest(4711, 'tools/call', params);
    const sent = { ...modern, headers: { ...modern.headers, authorization: headers.authorization } };
    const answer = await raw.send({ ...sent, body: String(body).replace('"id":4711', `"id":${id}`) });
    expect(answer.text).toContain(`"id":${id},"result"`);
  });

  test.each(['null', 'true', '[]', '{}', '[1]', '01', '-', '.5', 'NaN'])('%s is refused in both eras', async (id) => {
    const raw = gateway().raw();
    const headers = await session(raw);
    const params = { name: 'one__echo', arguments: { text: 'x' } };
    const legacy = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify(params)}}`;
    expect(await raw.post(legacy, headers)).toMatchObject({ status: 400, message: { id: null } });
    const { body, ...modern } = modernRequest(4711, 'tools/call', params);
    const sent = { ...modern, headers: { ...modern.headers, authorization: headers.authorization } };
    const answer = await raw.send({ ...sent, body: String(body).replace('"id":4711', `"id":${id}`) });
    expect(answer).toMatchObject({ status: 400, message: { id: null } });
  });
});

describe('a message', () => {
  test.each([
    ['of another JSON-RPC', '{"jsonrpc":"2.0","id":1}', -32600],
    ['without a name', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602],
    ['with a number as name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}', -32602],
    ['with an unknown name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__"}}', -32602],
    ['of an unknown method', '{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32601],
    ['with a number as method', '{"jsonrpc":"2.0","id":1,"method":5}', -32601],
    ['with a list as params', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["one__echo"]}', -32602],
    ['followed by text', '{"jsonrpc":"2.0","id":1,"method":"ping"} x', -32700],
    [
      'nested deeply',
      `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      -32600,
    ],
  ])('%s gets an error under its id', async (_, text, code) => {
    const raw = gateway().raw();
    expect((await raw.post(text, await session(raw))).message).toMatchObject({ id: 1, error: { code } });
  });

  test.each([
    ['a response to nothing', '{"jsonrpc":"2.0","id":99,"result":{}}'],
    ['a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}'],
    ['a notification without a meaning', '{"jsonrpc":"2.0","method":"notifications/none"}'],
    ['a cancellation of nothing', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}'],
    ['progress of nothing', '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}'],
  ])('that is %s gets 202', async (_, text) => {
    const raw = gateway().raw();
    expect((await raw.post(text, await session(raw))).status).toBe(202);
  });

  test.each([
    ['2024-11-05', 200],
    ['2025-03-26', 200],
    ['2025-06-18', 400],
    ['2025-11-25', 400],
  ])('may be part of a batch in a session of %s: %s', async (version, status) => {
    const raw = gateway().raw();
    const { headers } = await raw.initialize({
      version,
      headers: { authorization: gateway().authorizationOf('alice') },
    });
    expect((await raw.post(` \n[${PING},${PING}]`, headers)).status).toBe(status);
  });
});

describe('a modern request', () => {
  const CALL = { name: 'state__heard', arguments: {} };
  const send = (raw: RawClient, request: ReturnType<typeof modernRequest>, person = 'alice', path = '/mcp') =>
    raw.send({ path, ...request, headers: { ...request.headers, authorization: gateway().authorizationOf(person) } });

  test.each([
    ['another name', { 'mcp-name': 'one__echo' }],
    ['no name', { 'mcp-name': undefined }],
    ['an encoded other name', { 'mcp-name': '=?base64?b25lX19lY2hv?=' }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['no method', { 'mcp-method': undefined }],
    ['another case of the method', { 'mcp-method': 'Tools/Call' }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no version', { 'mcp-protocol-version': undefined }],
  ])('whose headers have %s reaches no server', async (_, headers) => {
    const raw = gateway().raw();
    const calls = async () =>
      String((await send(raw, modernRequest(1, 'tools/call', CALL))).text).split('tools/call').length;
    const before = await calls();
    const refused = await send(raw, modernRequest(9, 'tools/call', CALL, { headers }));
    expect(refused).toMatchObject({ status: 400, message: { id: 9, error: { code: -32020 } } });
    expect(await calls()).toBe(before + 1);
  });

  test('with a description that is too large gets 413, like initialize', async () => {
    const raw = gateway().raw();
    const capabilities = { experimental: { x: { y: 'z'.repeat(70_000) } } };
    const large = { status: 413, message: { error: { code: 1013, message: expect.stringContaining('65536') } } };
    expect(await send(raw, modernRequest(1, 'tools/list', {}, { capabilities }))).toMatchObject(large);
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x', version: '1' } };
    const headers = { authorization: gateway().authorizationOf('alice') };
    expect(await raw.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, headers)).toMatchObject(large);
  });

  test('gets results that no cache may share', async () => {
    const raw = gateway().raw();
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      const { message } = await send(raw, modernRequest(1, method));
      expect([method, message.result]).toMatchObject([method, { cacheScope: 'private', ttlMs: 0 }]);
    }
  });

  verifies(
    'gateway:modern:input',
    'continues only with its own state: same token, path, tool, arguments, once',
    async () => {
      const raw = gateway().raw();
      const capabilities = { elicitation: { form: {} } };
      const ASK = { name: 'ask__ask', arguments: {} };
      const first = await send(raw, modernRequest(1, 'tools/call', ASK, { capabilities }));
      const { requestState, inputRequests } = first.message.result as Record<string, Record<string, unknown>>;
      const [key = ''] = Object.keys(inputRequests ?? {});
      const state = String(requestState);
      const answers = { [key]: { action: 'accept', content: { name: 'Ada', agree: true } } };
      const again = (params: object, person = 'alice', path = '/mcp') =>
        send(
          raw,
          modernRequest(
            2,
            'tools/call',
            { ...ASK, requestState: state, inputResponses: answers, ...params },
            { capabilities },
          ),
          person,
          path,
        );
      const refused = { message: { id: 2, error: { code: -32602, message: expect.stringContaining('requestState') } } };
      for (const [params, person, path] of [
        [{ requestState: state.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }],
        [{ requestState: state.toUpperCase() }],
        [{ requestState: `${state} ` }],
        [{ requestState: '' }],
        [{ requestState: null }],
        [{ requestState: { toString: state } }],
        [{ requestState: [state] }],
        [{ requestState: '__proto__' }],
        [{ requestState: undefined }],
        [{ name: 'one__echo' }],
        [{ arguments: { a: 1 } }],
        [{ arguments: undefined }],
        [{}, 'bob'],
        [{}, 'alice', '/mcp/@all'],
        [{ name: 'ask' }, 'alice', '/mcp/ask'],
      ] as const)
        expect([params, (await again(params, person, path)).message]).toMatchObject([params, refused.message]);
      expect((await again({})).text).toContain('Ada');
      expect((await again({})).message).toMatchObject(refused.message);
    },
  );
});

describe('a connection', () => {
  test('that the client closes on its side ends, and the session continues', async () => {
    const raw = gateway().raw();
    const headers = await session(raw);
    const { socket, write, received } = await raw.connect();
    const body = JSON.stringify(toolCall(1, 'hang__hang'));
    const lines = Object.entries({ ...headers, 'content-type': 'application/json', 'content-length': body.length });
    write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n${body}`,
    );
    socket.end();
    await received;
    expect((await raw.send({ headers, body: PING })).status).toBe(200);
  });

  test('with a request that never ends does not delay others, with or without a token', async () => {
    const raw = gateway().raw();
    const headers = await session(raw);
    for (const authorization of [headers.authorization, 'Bearer none']) {
      const { write } = await raw.connect();
      write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n`);
      write('Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n');
      expect((await raw.send({ headers, body: PING })).status).toBe(200);
    }
  });
});

test('the gateway still serves after all of this, and reports no crash', async () => {
  const raw = gateway().raw();
  const { message } = await raw.post(toolCall(1, 'one__echo', { text: 'fine' }), await session(raw));
  expect(message).toMatchObject({ id: 1, result: { content: [{ text: 'fine' }] } });
  expect(gateway().process.stderr).not.toMatch(/Error:|at .*\.js/);
});
