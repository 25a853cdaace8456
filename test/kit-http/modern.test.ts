import { describe, expect, test } from 'vitest';
import { createTestAccess, openTestFront, TOKENS } from './front.ts';
import { modernRequest } from './raw-client.ts';

const LEVEL = { 'io.modelcontextprotocol/logLevel': 'debug' };
const echo = (id: unknown, message = 'hi') => modernRequest(id, 'tools/call', { name: 'echo', arguments: { message } });

test('a request without a session is answered as JSON', async () => {
  const { raw, front } = await openTestFront();
  const called = await raw.send(echo(0));
  expect(called).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(called.text)}` },
    message: { id: 0, result: { resultType: 'complete', content: [{ type: 'text', text: 'hi' }] } },
  });
  expect(called.headers['mcp-session-id']).toBeUndefined();
  expect((await raw.send(modernRequest('d', 'server/discover'))).message.result).toMatchObject({
    supportedVersions: ['2026-07-28'],
  });
  expect(front.counts.sessions).toBe(0);
});

test('progress and log messages come before the result, in an event stream without event ids', async () => {
  const { raw } = await openTestFront();
  const request = modernRequest(1, 'tools/call', { name: 'count' }, { meta: { progressToken: 't', ...LEVEL } });
  const { headers, events } = await raw.send(request);
  expect(headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  expect(events.map(({ id, message }) => [id, message?.method ?? message?.result?.['resultType']])).toEqual([
    [undefined, 'notifications/progress'],
    [undefined, 'notifications/progress'],
    [undefined, 'notifications/progress'],
    [undefined, 'notifications/message'],
    [undefined, 'complete'],
  ]);
});

test('closing the response cancels the call', async () => {
  const { raw, waiting } = await openTestFront({ limits: { heartbeatMs: 20 } });
  const response = await raw.open(modernRequest(1, 'tools/call', { name: 'wait' }));
  await expect.poll(() => waiting.length).toBe(1);
  response.close();
  await expect.poll(() => waiting[0]?.signal.aborted).toBe(true);
});

test('clients with equal ids in flight get their own responses', async () => {
  const { raw, waiting } = await openTestFront();
  const calls = [];
  for (let count = 0; count < 3; count++) {
    calls.push(raw.send(modernRequest(1, 'tools/call', { name: 'wait' })));
    await expect.poll(() => waiting.length).toBe(count + 1);
  }
  for (const [index, { finish }] of [...waiting.entries()].reverse()) finish(`call ${index}`);
  const results = (await Promise.all(calls)).map(({ message }) => message.result?.['content']);
  expect(results).toEqual([0, 1, 2].map((index) => [{ type: 'text', text: `call ${index}` }]));
});

describe('a call that needs input', () => {
  const capabilities = { elicitation: {} };
  const ask = (id: number, more: object = {}, meta: object = {}) =>
    modernRequest(id, 'tools/call', { name: 'ask', arguments: {}, ...more }, { capabilities, meta });
  const answer = (result: { readonly requestState?: unknown } | undefined) => ({
    requestState: result?.requestState,
    inputResponses: { q1: { action: 'accept', content: { name: 'Ada' } } },
  });

  test('continues with the next request of the same client', async () => {
    const { raw } = await openTestFront();
    const first = (await raw.send(ask(1))).message.result;
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { q1: { method: 'elicitation/create' } },
    });
    const second = await raw.send(ask(2, answer(first)));
    expect(second.message.result).toMatchObject({ content: [{ text: 'You are {"name":"Ada"}.' }] });
    const replayed = await raw.send(ask(3, answer(first)));
    expect(replayed.message.error).toMatchObject({ code: -32602 });
  });

  test.each([
    ['another token', { headers: { authorization: `Bearer ${TOKENS.bob}` } }],
    ['another client', { meta: { 'io.modelcontextprotocol/clientInfo': { name: 'other', version: '1' } } }],
    ['another thread', { meta: { threadId: 'other' } }],
  ])('does not continue with %s', async (_, { headers = {}, meta = {} }: { headers?: object; meta?: object }) => {
    const { raw } = await openTestFront();
    const first = (await raw.send(ask(1))).message.result;
    const stolen = ask(2, answer(first), meta);
    const { message } = await raw.send({ ...stolen, headers: { ...stolen.headers, ...headers } });
    expect(message.error).toMatchObject({ code: -32602, message: expect.stringContaining('requestState') });
    expect((await raw.send(ask(3, answer(first)))).message.result).toMatchObject({ resultType: 'complete' });
  });

  test('is refused if the client cannot ask its user: 400', async () => {
    const { raw } = await openTestFront();
    const response = await raw.send(modernRequest(1, 'tools/call', { name: 'ask' }));
    expect(response).toMatchObject({ status: 400, message: { id: 1, error: { code: -32021 } } });
  });
});

describe('subscriptions/listen', () => {
  const listen = modernRequest('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } });

  test('is an event stream of changes, with signs of life', async () => {
    const { raw, server } = await openTestFront({ limits: { heartbeatMs: 20 } });
    const stream = await raw.open(listen);
    expect((await stream.next()).message).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    expect(await stream.next()).toEqual({ isComment: true });
    server.tool('new', { description: 'New.' }, () => 'new');
    let event = await stream.next();
    while (event.isComment) event = await stream.next();
    expect(event.message).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 's' } },
    });
  });

  test('ends with a result when the server stops', async () => {
    const { raw, front } = await openTestFront();
    const stream = await raw.open(listen);
    await stream.next();
    const closing = front.close();
    expect((await stream.next()).message).toMatchObject({ id: 's', result: { resultType: 'complete' } });
    expect(await stream.ended).toBe(true);
    await closing;
  });
});

describe('a request is refused before it reaches the server', () => {
  const call = { name: 'echo', arguments: { message: 'hi' } };
  const changed = (headers: Readonly<Record<string, string | undefined>>) =>
    modernRequest(3, 'tools/call', call, { headers });
  const withMeta = (meta: object, headers = {}) => modernRequest(3, 'tools/call', call, { meta, headers });
  const KEY = 'io.modelcontextprotocol';

  test.each([
    ['another version in the header', changed({ 'mcp-protocol-version': '2025-11-25' }), 400, -32020],
    ['no version in the header', changed({ 'mcp-protocol-version': undefined }), 400, -32020],
    ['another method in the header', changed({ 'mcp-method': 'tools/list' }), 400, -32020],
    ['no method in the header', changed({ 'mcp-method': undefined }), 400, -32020],
    ['another name in the header', changed({ 'mcp-name': 'wait' }), 400, -32020],
    ['no name in the header', changed({ 'mcp-name': undefined }), 400, -32020],
    ['an invalid encoding in the header', changed({ 'mcp-name': '=?base64?*?=' }), 400, -32020],
    ['no version in the envelope', withMeta({ [`${KEY}/protocolVersion`]: undefined }), 400, -32602],
    ['no capabilities in the envelope', withMeta({ [`${KEY}/clientCapabilities`]: undefined }), 400, -32602],
    [
      'an unknown version',
      withMeta({ [`${KEY}/protocolVersion`]: '2099-01-01' }, { 'mcp-protocol-version': '2099-01-01' }),
      400,
      -32022,
    ],
    ['an unknown method', modernRequest(3, 'no/such/method'), 404, -32601],
    ['initialize', modernRequest(3, 'initialize'), 404, -32601],
    [
      'an argument without its header',
      modernRequest(3, 'tools/call', { name: 'regional', arguments: { region: 'eu' } }),
      400,
      -32020,
    ],
    [
      'an argument that differs from its header',
      modernRequest(
        3,
        'tools/call',
        { name: 'regional', arguments: { region: 'eu' } },
        { headers: { 'mcp-param-region': 'us' } },
      ),
      400,
      -32020,
    ],
  ])('with %s', async (_, request, status, code) => {
    const { raw } = await openTestFront();
    expect(await raw.send(request)).toMatchObject({ status, message: { jsonrpc: '2.0', id: 3, error: { code } } });
  });

  test.each([
    ['a null id', { id: null, method: 'tools/list' }, 400, -32600],
    ['an object as id', { id: {}, method: 'tools/list' }, 400, -32600],
    ['a response', { id: 1, result: {} }, 400, -32600],
    ['a batch', [{ id: 1, method: 'tools/list' }], 400, -32600],
  ])('with %s', async (_, body, status, code) => {
    const { raw } = await openTestFront();
    const { headers } = modernRequest(1, 'tools/list');
    const response = await raw.send({ ...(headers === undefined ? {} : { headers }), body: JSON.stringify(body) });
    expect(response).toMatchObject({ status, message: { id: null, error: { code } } });
  });

  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])('with %s: 405', async (method) => {
    const { raw } = await openTestFront();
    const response = await raw.send({ method, headers: { 'mcp-protocol-version': '2026-07-28' } });
    expect(response).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });
});

test('an argument in a header may be missing where the argument is', async () => {
  const { raw } = await openTestFront();
  const response = await raw.send(modernRequest(3, 'tools/call', { name: 'regional', arguments: {} }));
  expect(response.status).toBe(200);
});

test('a notification gets 202', async () => {
  const { raw } = await openTestFront();
  const { headers = {} } = modernRequest(1, 'notifications/cancelled');
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: {} });
  expect((await raw.send({ headers, body })).status).toBe(202);
});

test('a client is forgotten when it has been idle, but not while a call waits for input', async () => {
  const { raw } = await openTestFront({ limits: { heartbeatMs: 10, sessionIdleMs: 50 }, access: createTestAccess() });
  const capabilities = { elicitation: {} };
  const call = { name: 'ask', arguments: {} };
  const first = (await raw.send(modernRequest(1, 'tools/call', call, { capabilities }))).message.result;
  const stream = await raw.open(modernRequest('s', 'subscriptions/listen', { notifications: {} }));
  for (let beats = 0; beats < 20; beats++) await stream.next();
  const input = { requestState: first?.['requestState'], inputResponses: { q1: { action: 'decline' } } };
  const second = await raw.send(modernRequest(2, 'tools/call', { ...call, ...input }, { capabilities }));
  expect(second.message.result).toMatchObject({ content: [{ text: 'decline' }] });
});
