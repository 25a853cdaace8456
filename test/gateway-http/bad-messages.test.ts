import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { modernRequest, type RawClient, toolCall } from '../kit-http/raw-client.ts';
import { verifies } from '../verifies.ts';
import { useRunningGateway } from './running-gateway.ts';

const gateway = useRunningGateway({
  config: () => ({
    version: 1,
    mcp: {
      servers: {
        one: fixture('well-behaved'),
        state: fixture('keeps-state'),
        ask: fixture('requests-elicitation'),
      },
    },
    views: { review: { servers: ['one'] }, all: {} },
  }),
});

/** Opens a session of a person. */
async function session(raw: RawClient, person = 'alice') {
  return (await raw.initialize({ headers: { authorization: gateway().authorizationOf(person) } })).headers;
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

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

  test.each([
    ['without blanks', ''],
    ['with blanks', ' '],
  ])('with two names has the last one, %s', async (_, blank) => {
    const raw = gateway().raw();
    const { body, ...request } = modernRequest(9, 'tools/call', { name: 'one__echo', arguments: { text: 'x' } });
    const twice = String(body).replace('"name":', `"name":${blank}"state__heard",${blank}"name":`);
    const content = [{ type: 'text', text: 'x' }];
    expect((await send(raw, { ...request, body: twice })).message).toMatchObject({ id: 9, result: { content } });
    const refused = await send(raw, { headers: { ...request.headers, 'mcp-name': 'state__heard' }, body: twice });
    expect(refused).toMatchObject({ status: 400, message: { id: 9, error: { code: -32020 } } });
  });

  test.each(['"a":1,', '"a":01', '"a":"\t"', '"a":"\\x"', '"a":1}}', 'a:1'])(
    'with invalid JSON in its arguments gets 400: %s',
    async (invalid) => {
      const raw = gateway().raw();
      const { body, ...request } = modernRequest(9, 'tools/call', { name: 'one__echo', arguments: { text: 'x' } });
      const answer = await send(raw, { ...request, body: String(body).replace('"text":"x"', invalid) });
      expect(answer).toMatchObject({ status: 400, message: { error: { code: -32700 } } });
    },
  );

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
        [{ name: 'one__echo' }],
        [{ arguments: { a: 1 } }],
        [{ arguments: undefined }],
        [{}, 'bob'],
        [{}, 'alice', '/mcp/@all'],
        [{ name: 'ask' }, 'alice', '/mcp/ask'],
      ] as const)
        expect([params, (await again(params, person, path)).message]).toMatchObject([params, refused.message]);
      // Without a state, it is a new call, and the server cannot tell whose question it asks.
      expect((await again({ requestState: undefined })).text).toContain('cannot determine which request');
      expect((await again({})).text).toContain('Ada');
      expect((await again({})).message).toMatchObject(refused.message);
    },
  );
});

test('the gateway still serves after all of this, and reports no crash', async () => {
  const raw = gateway().raw();
  const { message } = await raw.post(toolCall(1, 'one__echo', { text: 'fine' }), await session(raw));
  expect(message).toMatchObject({ id: 1, result: { content: [{ text: 'fine' }] } });
  expect(gateway().process.stderr).not.toMatch(/Error:|at .*\.js/);
});
