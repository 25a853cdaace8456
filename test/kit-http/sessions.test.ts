import { describe, expect, test } from 'vitest';
import { createServerEndpoint } from '../../src/serve/fronts/http/server-endpoint.ts';
import { createServer } from '../../src/serve/server.ts';
import { verifies } from '../verifies.ts';
import { createTestAccess, openTestFront, TOKENS } from './front.ts';
import { headerLines, toolCall } from './raw-client.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('a session answers requests as JSON, and notifications with 202', async () => {
  const { raw } = await openTestFront();
  const { headers } = await raw.initialize();
  const called = await raw.post(toolCall(7, 'echo', { message: 'hi' }), headers);
  expect(called).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(called.text)}` },
    message: { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: 'hi' }] } },
  });
  const notified = await raw.post({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }, headers);
  expect([notified.status, notified.text]).toEqual([202, '']);
  const responded = await raw.post({ jsonrpc: '2.0', id: 99, result: {} }, headers);
  expect(responded.status).toBe(202);
});

test('a body may be spread over lines and be followed by a line break', async () => {
  const { raw } = await openTestFront();
  const { headers } = await raw.initialize();
  const body = `${JSON.stringify(toolCall(1, 'echo', { message: 'a b' }), undefined, '\r\n')}\r\n`;
  expect((await raw.post(body, headers)).message.result).toEqual({ content: [{ type: 'text', text: 'a b' }] });
});

test('ids keep their exact value', async () => {
  const { raw } = await openTestFront();
  const { headers } = await raw.initialize();
  for (const id of ['9007199254740993', '0', '""', '"1"', '-0', '1e400'])
    expect((await raw.post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, headers)).text).toBe(
      `{"jsonrpc":"2.0","id":${id},"result":{}}`,
    );
});

test('two requests with the same id in flight are both answered, each on its own response', async () => {
  const { raw, waiting } = await openTestFront();
  const { headers } = await raw.initialize();
  const first = raw.post(toolCall(1, 'wait'), headers);
  await expect.poll(() => waiting.length).toBe(1);
  const second = raw.post(toolCall(1, 'wait'), headers);
  await expect.poll(() => waiting.length).toBe(2);
  waiting[1]?.finish('second');
  expect((await second).message.result).toEqual({ content: [{ type: 'text', text: 'second' }] });
  waiting[0]?.finish('first');
  expect((await first).message.result).toEqual({ content: [{ type: 'text', text: 'first' }] });
});

test('a cancelled request ends without a response', async () => {
  const { raw, waiting } = await openTestFront();
  const { headers } = await raw.initialize();
  const call = raw.post(toolCall('x', 'wait'), headers);
  await expect.poll(() => waiting.length).toBe(1);
  await raw.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } }, headers);
  expect([(await call).status, (await call).text]).toEqual([202, '']);
  expect(waiting[0]?.signal.aborted).toBe(true);
});

test('a request continues if its client disconnects, because the client may only have lost the connection', async () => {
  const { raw, waiting, front } = await openTestFront();
  const { headers } = await raw.initialize();
  const { socket, write } = await raw.connect();
  const body = JSON.stringify(toolCall(1, 'wait'));
  const lines = headerLines({ ...headers, 'content-length': body.length });
  write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n\r\n${body}`);
  await expect.poll(() => waiting.length).toBe(1);
  socket.destroy();
  await expect.poll(() => front.counts.requests).toBe(0);
  expect(waiting[0]?.signal.aborted).toBe(false);
  waiting[0]?.finish('too late');
  expect((await raw.post(LIST, headers)).status).toBe(200);
});

test('a batch gets its responses together, and a batch of notifications gets 202', async () => {
  const { raw } = await openTestFront();
  const { headers } = await raw.initialize({ version: '2025-03-26' });
  const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }, LIST.method, { jsonrpc: '2.0', id: 2, method: 'ping' }];
  const { message } = await raw.post(batch, headers);
  expect(message).toMatchObject([
    { id: 1, result: {} },
    { id: null, error: { code: -32600 } },
    { id: 2, result: {} },
  ]);
  expect((await raw.post([{ jsonrpc: '2.0', method: 'notifications/x' }], headers)).status).toBe(202);
});

describe('a session id', () => {
  test.each([
    ['made up', 'a'.repeat(36)],
    ['empty', ''],
    ['with control bytes', 'a\tb'],
    ['of 4000 characters', 'x'.repeat(4000)],
    ['twice', 'a, a'],
  ])('that is %s is unknown: 404 for every method', async (_, id) => {
    const { raw } = await openTestFront();
    await raw.initialize();
    const headers = { 'mcp-session-id': id };
    const unknown = { status: 404, message: { id: null, error: { code: 1124 } } };
    expect(await raw.post(LIST, headers)).toMatchObject(unknown);
    expect(await raw.send({ method: 'GET', headers })).toMatchObject(unknown);
    expect(await raw.send({ method: 'DELETE', headers })).toMatchObject(unknown);
  });

  test('that a client chooses for itself is not adopted', async () => {
    const { raw, front } = await openTestFront();
    const chosen = { 'mcp-session-id': 'chosen-by-the-client' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const response = await raw.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, chosen);
    expect([response.status, response.headers['mcp-session-id'], front.counts.sessions]).toEqual([404, undefined, 0]);
  });

  verifies(['http:session:bound'], 'is valid only with the token and the path that it was created for', async () => {
    const other = createServerEndpoint(createServer({ name: 'other', version: '1' }));
    const resolve = (path: string) => (path === '/mcp/other' ? other : undefined);
    const { raw } = await openTestFront({ resolve, access: createTestAccess({ required: true }) });
    const alice = { authorization: `Bearer ${TOKENS.alice}` };
    const { headers } = await raw.initialize({ headers: alice });
    expect((await raw.post(LIST, headers)).status).toBe(200);
    const bob = { ...headers, authorization: `Bearer ${TOKENS.bob}` };
    expect((await raw.post(LIST, bob)).status).toBe(404);
    expect((await raw.send({ method: 'DELETE', headers: bob })).status).toBe(404);
    expect((await raw.send({ path: '/mcp/other', headers, body: JSON.stringify(LIST) })).status).toBe(404);
    expect((await raw.post(LIST, headers)).status).toBe(200);
  });

  test('is required for everything but initialize: 400', async () => {
    const { raw } = await openTestFront();
    const missing = {
      status: 400,
      message: { error: { code: -32600, message: expect.stringContaining('Mcp-Session-Id') } },
    };
    expect(await raw.post(LIST)).toMatchObject(missing);
    expect((await raw.post(LIST)).message.id).toBe(1);
    expect(await raw.send({ method: 'GET' })).toMatchObject(missing);
    expect(await raw.send({ method: 'DELETE' })).toMatchObject(missing);
    expect(await raw.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject(missing);
  });

  test('ends with DELETE, and then even its running calls end', async () => {
    const { raw, waiting, front } = await openTestFront();
    const { headers } = await raw.initialize();
    const call = raw.post(toolCall(1, 'wait'), headers);
    await expect.poll(() => waiting.length).toBe(1);
    expect((await raw.send({ method: 'DELETE', headers })).status).toBe(200);
    expect((await call).status).toBe(404);
    expect(waiting[0]?.signal.aborted).toBe(true);
    expect((await raw.post(LIST, headers)).status).toBe(404);
    expect(front.counts).toMatchObject({ sessions: 0, requests: 0, streams: 0 });
  });
});

test('a failed initialize opens no session', async () => {
  const { raw, front } = await openTestFront();
  const response = await raw.post({ jsonrpc: '2.0', id: {}, method: 'initialize' });
  expect([response.headers['mcp-session-id'], front.counts.sessions]).toEqual([undefined, 0]);
});

test.each([
  ['1999-01-01', 400],
  ['not-a-version', 400],
  ['2024-11-05', 200],
  ['2025-06-18', 200],
])('a request in a session with MCP-Protocol-Version %s gets %i', async (version, status) => {
  const { raw } = await openTestFront();
  const { headers } = await raw.initialize();
  expect((await raw.post(LIST, { ...headers, 'mcp-protocol-version': version })).status).toBe(status);
});

test('a session whose client has no connection for too long ends, and its calls are cancelled', async () => {
  const { raw, waiting, front } = await openTestFront({ limits: { heartbeatMs: 20, sessionIdleMs: 100 } });
  const { headers } = await raw.initialize();
  const stream = await raw.open({ method: 'GET', headers });
  const call = await raw.open({ headers, body: JSON.stringify(toolCall(1, 'wait')) });
  await expect.poll(() => waiting.length).toBe(1);
  call.close();
  // The stream keeps the session open, however long the client sends nothing.
  for (let beats = 0; beats < 20; beats++) await stream.next();
  expect([front.counts.sessions, waiting[0]?.signal.aborted]).toEqual([1, false]);
  stream.close();
  await expect.poll(() => front.counts.sessions).toBe(0);
  await expect.poll(() => waiting[0]?.signal.aborted).toBe(true);
  expect((await raw.post(LIST, headers)).status).toBe(404);
});
