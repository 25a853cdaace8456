import { expect, test } from 'vitest';
import { openHttpFront } from '../../src/serve/fronts/http/open-http-front.ts';
import { createServerEndpoint } from '../../src/serve/fronts/http/server-endpoint.ts';
import { createServer } from '../../src/serve/server.ts';
import { createTestAccess, openTestFront, TOKENS } from './front.ts';
import { headerLines, modernRequest, toolCall } from './raw-client.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const busy = (status: number, limit: string) => ({
  status,
  headers: { 'retry-after': '1' },
  message: { error: { code: 1034, message: expect.stringContaining(limit) } },
});

test('above the limit of sessions, initialize gets 503 until a session ends', async () => {
  const { raw } = await openTestFront({ limits: { maxSessions: 2 } });
  const [first] = [await raw.initialize(), await raw.initialize()];
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const initialize = { jsonrpc: '2.0', id: 9, method: 'initialize', params };
  expect(await raw.post(initialize)).toMatchObject({ ...busy(503, '2 sessions') });
  await raw.send({ method: 'DELETE', headers: first.headers });
  expect((await raw.post(initialize)).status).toBe(200);
});

test('above the limit of modern clients, an idle one is forgotten, and if all are busy, a new one gets 503', async () => {
  const { raw, waiting } = await openTestFront({ limits: { maxSessions: 1 } });
  const from = (name: string, tool: string) =>
    modernRequest(
      1,
      'tools/call',
      { name: tool, arguments: { message: 'x' } },
      {
        meta: { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } },
      },
    );
  expect((await raw.send(from('one', 'echo'))).status).toBe(200);
  const call = raw.send(from('two', 'wait'));
  await expect.poll(() => waiting.length).toBe(1);
  expect(await raw.send(from('three', 'echo'))).toMatchObject(busy(503, 'clients'));
  waiting[0]?.finish('done');
  expect((await call).status).toBe(200);
  expect((await raw.send(from('three', 'echo'))).status).toBe(200);
});

test('above the limit of requests of one client, the next gets 429, and other clients none', async () => {
  const { raw, waiting } = await openTestFront({ limits: { maxRequestsPerClient: 2 } });
  const [one, two] = [await raw.initialize(), await raw.initialize()];
  const calls = [raw.post(toolCall(1, 'wait'), one.headers), raw.post(toolCall(2, 'wait'), one.headers)];
  await expect.poll(() => waiting.length).toBe(2);
  expect(await raw.post(PING, one.headers)).toMatchObject(busy(429, '2 requests'));
  expect((await raw.post(PING, two.headers)).status).toBe(200);
  for (const { finish } of waiting) finish('done');
  await Promise.all(calls);
  expect((await raw.post(PING, one.headers)).status).toBe(200);
});

test('above the limit of all requests, every client gets 503', async () => {
  const { raw, waiting } = await openTestFront({ limits: { maxRequests: 2 } });
  const [one, two] = [await raw.initialize(), await raw.initialize()];
  const calls = [raw.post(toolCall(1, 'wait'), one.headers), raw.post(toolCall(1, 'wait'), two.headers)];
  await expect.poll(() => waiting.length).toBe(2);
  expect(await raw.post(PING, one.headers)).toMatchObject(busy(503, '2 requests'));
  expect(await raw.send(modernRequest(1, 'tools/list'))).toMatchObject(busy(503, '2 requests'));
  for (const { finish } of waiting) finish('done');
  await Promise.all(calls);
  expect((await raw.post(PING, one.headers)).status).toBe(200);
});

test('large bodies together have a limit: 503', async () => {
  const { raw } = await openTestFront({ limits: { maxBufferedBytes: 500_000 } });
  const unfinished = await raw.connect();
  unfinished.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines({ 'content-length': 450_000 })}\r\n\r\n`);
  unfinished.write('x'.repeat(440_000));
  const body = JSON.stringify({ ...PING, params: 'x'.repeat(100_000) });
  await expect.poll(async () => (await raw.post(body)).status).toBe(503);
  unfinished.socket.destroy();
  await expect.poll(async () => (await raw.post(body)).status).toBe(400);
});

test('idle connections never block others: the one that has been idle for longest is closed', async () => {
  const { raw } = await openTestFront({ limits: { maxConnections: 20 } });
  const idle = [];
  for (let count = 0; count < 40; count++) idle.push(await raw.connect());
  const { headers } = await raw.initialize();
  expect((await raw.post(PING, headers)).status).toBe(200);
  await Promise.all(idle.slice(0, 20).map(({ received }) => received));
  expect(idle.at(-1)?.socket.destroyed).toBe(false);
});

test('if all connections are busy, a new one gets 503', async () => {
  const { raw } = await openTestFront({ limits: { maxConnections: 2 } });
  const { headers } = await raw.initialize();
  const streams = [await raw.open({ method: 'GET', headers }), await raw.open({ method: 'GET', headers })];
  const { received } = await raw.connect();
  expect(await received).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/);
  for (const stream of streams) stream.close();
});

test.each([
  ['its headers slowly', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: '],
  ['nothing', ''],
  ['its body slowly', `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines({ 'content-length': 100 })}\r\n\r\n{`],
  [
    'a chunked body slowly',
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines({ 'transfer-encoding': 'chunked' })}\r\n\r\n`,
  ],
])('a client that sends %s loses its connection', async (_, text) => {
  const { raw } = await openTestFront({ limits: { headersTimeoutMs: 200, requestTimeoutMs: 400 } });
  const { write, received } = await raw.connect();
  write(text);
  const drip = setInterval(() => write(text.includes('chunked') ? '1\r\nx\r\n' : text === '' ? '' : 'x'), 50);
  const answer = await received;
  clearInterval(drip);
  expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
});

test('a connection whose client has closed its side ends, and the session continues', async () => {
  const { raw, waiting, front } = await openTestFront();
  const { headers } = await raw.initialize();
  const { socket, write, received } = await raw.connect();
  const body = JSON.stringify(toolCall(1, 'wait'));
  write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines({ ...headers, 'content-length': body.length })}\r\n\r\n${body}`,
  );
  await expect.poll(() => waiting.length).toBe(1);
  socket.end();
  await received;
  await expect.poll(() => front.counts.requests).toBe(0);
  waiting[0]?.finish('too late');
  expect((await raw.post(PING, headers)).status).toBe(200);
});

test('requests that are sent before the first response are answered in order', async () => {
  const { raw } = await openTestFront();
  const { headers } = await raw.initialize();
  const { write, received } = await raw.connect();
  const send = (id: number, close = false) => {
    const body = JSON.stringify({ ...PING, id });
    const lines = headerLines({ ...headers, 'content-length': body.length, ...(close ? { connection: 'close' } : {}) });
    return `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n\r\n${body}`;
  };
  write([send(1), send(2), send(3, true)].join(''));
  expect((await received).match(/"id":\d/g)).toEqual(['"id":1', '"id":2', '"id":3']);
});

test('the error for a port in use names the process that uses it', async () => {
  const { port } = await openTestFront();
  const endpoints = new Map([['/mcp', createServerEndpoint(createServer({ name: 'x', version: '1' }))]]);
  const opened = openHttpFront({ listen: { host: '127.0.0.1', port }, endpoints, access: createTestAccess() });
  const owner = process.platform === 'linux' ? `process ${process.pid}` : 'another process';
  await expect(opened).rejects.toMatchObject({ code: 'PORT_IN_USE', message: expect.stringContaining(owner) });
});

test('no secret is in an error', async () => {
  const { raw } = await openTestFront({ access: createTestAccess({ required: true }) });
  const response = await raw.post('{', { authorization: `Bearer ${TOKENS.alice}` });
  expect(response.text + JSON.stringify(response.headers)).not.toContain(TOKENS.alice);
});
