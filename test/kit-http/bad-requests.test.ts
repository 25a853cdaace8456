import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { verifies } from '../verifies.ts';
import { createTestAccess, openTestFront, TOKENS } from './front.ts';
import { headerLines, toolCall } from './raw-client.ts';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});

describe('a request from a web page', () => {
  test.each([
    ['Host', { host: 'evil.example' }],
    ['Host', { host: 'evil.example:80' }],
    ['Host', { host: '127.0.0.1.evil.example' }],
    ['Origin', { origin: 'https://evil.example' }],
    ['Origin', { origin: 'null' }],
  ])('is refused by its %s: %j, even with a token and a session', async (name, headers) => {
    const { raw, front } = await openTestFront({ access: createTestAccess({ required: true }) });
    const authorization = `Bearer ${TOKENS.alice}`;
    const session = await raw.initialize({ headers: { authorization } });
    const refused = { status: 403, message: { error: { code: 1009, message: expect.stringContaining(name) } } };
    expect(await raw.post(INITIALIZE, { authorization, ...headers })).toMatchObject(refused);
    expect(await raw.post(toolCall(1, 'echo'), { ...session.headers, ...headers })).toMatchObject(refused);
    expect(await raw.send({ method: 'GET', headers: { ...session.headers, ...headers } })).toMatchObject(refused);
    expect(await raw.send({ method: 'DELETE', headers: { ...session.headers, ...headers } })).toMatchObject(refused);
    expect(await raw.send({ method: 'OPTIONS', headers })).toMatchObject(refused);
    expect(front.counts.sessions).toBe(1);
  });

  verifies(
    ['http:origin:refused'],
    'is refused from another page on the same machine with a foreign name',
    async () => {
      const { raw } = await openTestFront();
      const { headers } = await raw.initialize();
      const foreign = { ...headers, host: 'evil.example', origin: 'http://evil.example' };
      expect((await raw.post(toolCall(1, 'echo'), foreign)).status).toBe(403);
    },
  );

  test('is accepted from loopback names and from the allowed hosts', async () => {
    const { raw } = await openTestFront({ allowedHosts: ['tools.example'] });
    for (const headers of [
      { host: 'localhost:9' },
      { host: 'tools.example', origin: 'https://tools.example' },
      { origin: 'http://localhost:3000' },
    ])
      expect((await raw.post(INITIALIZE, headers)).status).toBe(200);
  });
});

describe('a request without a valid token', () => {
  test.each([
    [undefined, 'Bearer'],
    ['Bearer wrong', 'Bearer error="invalid_token"'],
    ['Basic dXNlcjpwYXNz', 'Bearer error="invalid_token"'],
    ['', 'Bearer error="invalid_token"'],
  ])('gets 401 with a challenge: %j', async (authorization, challenge) => {
    const { raw, front } = await openTestFront({ access: createTestAccess({ required: true }) });
    for (const method of ['POST', 'GET', 'DELETE']) {
      const response = await raw.send({ method, headers: { authorization }, body: INITIALIZE });
      expect(response).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': challenge },
        message: { id: null, error: { code: 1003, message: expect.stringContaining('Bearer <token>') } },
      });
      expect(response.text).not.toContain('wrong');
    }
    expect(front.counts.sessions).toBe(0);
  });

  test('may still read public pages, and learns that there is no sign-in', async () => {
    const pages = new Map([
      ['/health', (query: URLSearchParams) => ({ status: 503, body: { server: query.get('server') } })],
    ]);
    const { raw } = await openTestFront({ access: createTestAccess({ required: true }), pages });
    const health = await raw.send({ method: 'GET', path: '/health?server=a%20b' });
    expect([health.status, health.text]).toEqual([503, '{"server":"a b"}']);
    expect((await raw.send({ path: '/health', body: '{}' })).status).toBe(405);
    expect((await raw.send({ method: 'GET', path: '/health', headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await raw.send({ method: 'GET', path: '/.well-known/oauth-protected-resource' })).status).toBe(404);
  });
});

test('a token with the role read reaches no endpoint', async () => {
  const reader = { tokenId: 'r', name: 'reader', role: 'read', view: undefined, mayNameFolders: false } as const;
  const { raw, front } = await openTestFront({ access: { authenticate: () => reader, onRevoked: () => () => {} } });
  for (const method of ['POST', 'GET', 'DELETE'])
    expect(await raw.send({ method, body: INITIALIZE })).toMatchObject({
      status: 403,
      message: { id: null, error: { message: 'The token "reader" has the role read, which may not call servers.' } },
    });
  expect(front.counts.sessions).toBe(0);
});

verifies(
  ['http:token:revoked'],
  'a token that is revoked during a call ends its calls, streams and sessions, and no others',
  async () => {
    const access = createTestAccess({ required: true });
    const { raw, waiting } = await openTestFront({ access });
    const [alice, bob] = await Promise.all(
      [TOKENS.alice, TOKENS.bob].map((token) => raw.initialize({ headers: { authorization: `Bearer ${token}` } })),
    );
    const stream = await raw.open({ method: 'GET', headers: alice?.headers ?? {} });
    const call = raw.post(toolCall(1, 'wait'), alice?.headers);
    await expect.poll(() => waiting.length).toBe(1);
    access.revoke(TOKENS.alice);
    expect(await call).toMatchObject({ status: 401, message: { error: { code: 1003 } } });
    expect(waiting[0]?.signal.aborted).toBe(true);
    expect(await stream.ended).toBe(true);
    expect((await raw.post(toolCall(2, 'echo'), alice?.headers)).status).toBe(401);
    expect((await raw.post(toolCall(2, 'echo'), bob?.headers)).status).toBe(200);
  },
);

describe('a path', () => {
  test('without an endpoint gets 404, and one that the client may not use 403', async () => {
    const resolve = (path: string) =>
      path === '/mcp/@admin' ? new AppError('DENIED', 'The token permits only the view "review".') : undefined;
    const { raw } = await openTestFront({ resolve });
    expect(await raw.send({ path: '/other', body: INITIALIZE })).toMatchObject({
      status: 404,
      message: { error: { message: expect.stringContaining('/mcp') } },
    });
    expect(await raw.send({ path: '/mcp/@admin', body: INITIALIZE })).toMatchObject({
      status: 403,
      message: { error: { code: 1009, message: expect.stringContaining('review') } },
    });
  });

  test.each(['/', '//mcp', '/mcp/', '/MCP', '/mcp%00', '/../mcp', '*', 'http://evil.example/mcp'])(
    '%s is not the endpoint',
    async (path) => {
      const { raw } = await openTestFront();
      expect((await raw.send({ path, body: INITIALIZE })).status).toBe(404);
    },
  );

  test('may have a query', async () => {
    const { raw } = await openTestFront();
    expect((await raw.send({ path: '/mcp?x=1', body: INITIALIZE })).status).toBe(200);
  });
});

describe('a body', () => {
  test.each([
    ['not JSON', '{', 400, -32700],
    ['empty', '', 400, -32600],
    ['only spaces', ' \n ', 400, -32700],
    ['text', '"initialize"', 400, -32600],
    ['null', 'null', 400, -32600],
    ['without a method', '{"jsonrpc":"2.0"}', 400, -32600],
    ['nested deeply', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 400, -32600],
    ['nested very deeply', `${'['.repeat(600_000)}${']'.repeat(600_000)}`, 413, 1013],
    ['with broken UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, -32700],
  ])('that is %s gets an error', async (_, body, status, code) => {
    const { raw } = await openTestFront();
    expect(await raw.send({ body })).toMatchObject({ status, message: { id: null, error: { code } } });
  });

  test.each([
    ['not JSON', '{', -32700],
    ['text', '"x"', -32600],
    ['an empty batch', '[]', -32600],
  ])('that is %s gets 400 in a session, too', async (_, body, code) => {
    const { raw } = await openTestFront();
    const { headers } = await raw.initialize();
    expect(await raw.post(body, headers)).toMatchObject({ status: 400, message: { id: null, error: { code } } });
  });

  test.each([
    ['text/plain', undefined],
    ['application/x-www-form-urlencoded', undefined],
    ['multipart/form-data; boundary=x', undefined],
    ['application/jsonp', undefined],
    [undefined, undefined],
    ['application/json', 'gzip'],
    ['application/json', 'br, gzip'],
  ])('of type %s and encoding %s gets 415', async (type, encoding) => {
    const { raw } = await openTestFront();
    const headers = { 'content-type': type, 'content-encoding': encoding };
    const response = await raw.send({ headers, body: encoding === undefined ? INITIALIZE : gzipSync(INITIALIZE) });
    expect(response.status).toBe(415);
    expect(response.message.error?.message).toContain(encoding === undefined ? 'Content-Type' : 'Content-Encoding');
  });

  test('may declare its character set', async () => {
    const { raw } = await openTestFront();
    expect((await raw.post(INITIALIZE, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
  });

  test('that is too large gets 413 before it is sent, or as soon as it is too large', async () => {
    const { raw } = await openTestFront({ limits: { maxBodyBytes: 1000 } });
    const announced = await raw.connect();
    announced.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines({ 'content-length': 1001 })}\r\n\r\n`);
    expect(await announced.received).toMatch(/^HTTP\/1\.1 413 [\s\S]*Connection: close[\s\S]*limit of 1000 bytes/i);
    const chunked = await raw.connect();
    chunked.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines({ 'transfer-encoding': 'chunked' })}\r\n\r\n`,
    );
    for (let count = 0; count < 11; count++) chunked.write(`64\r\n${'x'.repeat(100)}\r\n`);
    expect(await chunked.received).toMatch(/^HTTP\/1\.1 413 /);
    expect((await raw.post(INITIALIZE)).status).toBe(200);
  });
});

describe('bytes that are not a valid request', () => {
  test.each([
    ['a line break inside a header value', 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n', 400],
    [
      'a bare line feed that adds a header',
      'GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Name: a\n Evil: b\r\n\r\n',
      400,
    ],
    ['a null byte in a header', 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n', 400],
    ['no host', 'GET /mcp HTTP/1.1\r\n\r\n', 400],
    [
      'both lengths',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'two lengths',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
      400,
    ],
    ['headers without end', `GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}`, 431],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['no HTTP', 'hello\r\n\r\n', 400],
  ])('%s: the connection ends with %s', async (_, text, status) => {
    const { raw } = await openTestFront();
    const { write, received } = await raw.connect();
    write(text);
    expect(await received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await raw.post(INITIALIZE)).status).toBe(200);
  });

  test('a chunk size that is too large for any body is refused', async () => {
    const { raw } = await openTestFront();
    const { write, received } = await raw.connect();
    write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines({ 'transfer-encoding': 'chunked' })}\r\n\r\n`);
    write('FFFFFFFFFFFFFFFFFF\r\n');
    expect(await received).toMatch(/^HTTP\/1\.1 400 /);
  });
});
