import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { headerLines, toolCall } from '../kit-http/raw-client.ts';
import { verifies } from '../verifies.ts';
import { useRunningGateway } from './running-gateway.ts';

const gateway = useRunningGateway({
  config: () => ({
    version: 1,
    mcp: { servers: { one: fixture('well-behaved') } },
    views: { review: { servers: ['one'] } },
  }),
});

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});

/** The headers of a valid request, as lines. */
function valid(extra: Readonly<Record<string, string | number>> = {}): string {
  const authorization = gateway().authorizationOf('alice');
  return `Host: localhost\r\nConnection: close\r\n${headerLines({ authorization, ...extra })}\r\n`;
}

/** Writes bytes and returns everything that comes back until the connection ends. */
async function send(text: string): Promise<string> {
  const { write, received } = await gateway().raw().connect();
  write(text);
  return received;
}

/** A valid request with changed headers. */
function post(headers: string, body: string = INITIALIZE, path = '/mcp', version = '1.1'): Promise<string> {
  return send(`POST ${path} HTTP/${version}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** The status of each response. */
function statuses(received: string): readonly number[] {
  return [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
}

describe('a request that a proxy could read differently', () => {
  verifies('gateway:http:repeated-header', 'is refused if it repeats a header that must be unique', async () => {
    const authorization = gateway().authorizationOf('alice');
    for (const line of [
      'Host: evil.example',
      'host: localhost',
      'Authorization: Bearer other',
      `AUTHORIZATION: ${authorization}`,
      'Content-Type: text/plain',
      'Origin: http://localhost\r\nOrigin: http://evil.example',
      'Mcp-Session-Id: a\r\nMcp-Session-Id: b',
      'MCP-Protocol-Version: 2025-11-25\r\nMCP-Protocol-Version: 2025-11-25',
      'Mcp-Method: initialize\r\nmcp-method: initialize',
      'Mcp-Name: a\r\nMcp-Name: b',
      'Last-Event-ID: 1\r\nLast-Event-ID: 2',
    ]) {
      const answer = await post(`${valid()}${line}\r\n`);
      expect([line, statuses(answer)]).toEqual([line, [400]]);
      expect(answer).toContain('more than one');
    }
    expect(statuses(await post(`${valid()}X-Mine: a\r\nX-Mine: b\r\nAccept: text/plain\r\n`))).toEqual([200]);
  });

  verifies('gateway:http:smuggling', 'is refused if its length is not clear', async () => {
    const chunk = `${INITIALIZE.length.toString(16)}\r\n${INITIALIZE}\r\n0\r\n\r\n`;
    const smuggled = `0\r\n\r\n${'POST /mcp HTTP/1.1\r\n'}${valid()}Content-Length: ${INITIALIZE.length}\r\n\r\n${INITIALIZE}`;
    for (const [lines, body, status] of [
      [`Content-Length: ${INITIALIZE.length}\r\nTransfer-Encoding: chunked`, smuggled, 400],
      ['Transfer-Encoding: chunked\r\nContent-Length: 3', smuggled, 400],
      ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', chunk, 400],
      ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', chunk, 400],
      ['Transfer-Encoding: xchunked', chunk, 501],
      ['Transfer-Encoding: gzip, chunked', chunk, 501],
      ['Transfer-Encoding: deflate, chunked', chunk, 501],
      ['Transfer-Encoding : chunked', chunk, 400],
      ['Transfer-Encoding:\u000bchunked', chunk, 400],
      ['Content-Length: 5\r\nContent-Length: 6', 'abcdef', 400],
      ['Content-Length: 5, 5', 'abcde', 400],
      ['Content-Length: +5', 'abcde', 400],
      ['Content-Length: -5', 'abcde', 400],
      ['Content-Length: 0x5', 'abcde', 400],
      ['Content-Length: 99999999999999999999999', 'abcde', 400],
    ] as const) {
      const answer = await send(`POST /mcp HTTP/1.1\r\n${valid()}${lines}\r\n\r\n${body}`);
      // One response only: nothing after the first request is read.
      expect([lines, statuses(answer)]).toEqual([lines, [status]]);
    }
  });

  test('cannot hide a header behind thousands of others', async () => {
    const many = 'a:\r\n'.repeat(3_000);
    expect(statuses(await post(`${valid()}${many}Origin: http://evil.example\r\n`))).toEqual([403]);
    expect(statuses(await post(`${valid()}${many}`))).toEqual([200]);
    expect(statuses(await post(`${valid()}${'a:\r\n'.repeat(20_000)}`))).toEqual([431]);
  });

  test('cannot bring its token in a trailer', async () => {
    const chunk = `${INITIALIZE.length.toString(16)}\r\n${INITIALIZE}\r\n0\r\n`;
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headerLines({ 'transfer-encoding': 'chunked' })}`;
    const trailer = `Authorization: ${gateway().authorizationOf('alice')}`;
    expect(statuses(await send(`${head}\r\nTrailer: Authorization\r\n\r\n${chunk}${trailer}\r\n\r\n`))[0]).toBe(401);
  });
});

describe('other protocols', () => {
  test.each([
    ['HTTP/2 without an upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
    ['HTTP/0.9', 'GET /mcp\r\n\r\n', [403]],
    ['an empty host', 'GET /mcp HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n', [403]],
    ['HTTP/3.0', 'GET /mcp HTTP/3.0\r\nHost: localhost\r\n\r\n', [400]],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
    ['line feeds only', 'GET /mcp HTTP/1.1\nHost: localhost\n\n', [400]],
    ['a line break in a value', 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: a\rEvil: b\r\n\r\n', [400]],
    ['a folded header', 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: a\r\n Evil: b\r\nConnection: close\r\n\r\n', [400]],
    ['CONNECT', 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n', []],
  ])('%s', async (_, text, expected) => {
    expect(statuses(await send(text))).toEqual(expected);
  });

  test('HTTP/1.0 is answered, and closes the connection', async () => {
    expect(statuses(await post(valid().replace('Connection: close\r\n', ''), INITIALIZE, '/mcp', '1.0'))).toEqual([
      200,
    ]);
  });

  test('an upgrade is ignored, and the request is answered', async () => {
    const upgrade = 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const answer = await post(`${valid().replace('close', 'close, Upgrade, HTTP2-Settings')}${upgrade}`);
    expect(statuses(answer)).toEqual([200]);
  });

  test('Expect: 100-continue is answered, and any other expectation refused', async () => {
    expect(statuses(await post(`${valid()}Expect: 100-continue\r\n`))).toEqual([100, 200]);
    expect(statuses(await post(`${valid()}Expect: gold\r\n`))).toEqual([417]);
  });

  test.each(['TRACE', 'PUT', 'PATCH', 'HEAD'])('%s gets 405', async (method) => {
    expect(statuses(await send(`${method} /mcp HTTP/1.1\r\n${valid()}\r\n`))).toEqual([405]);
  });
});

describe('a path', () => {
  test.each([
    '/mcp/',
    '/mcp/..',
    '/mcp/../mcp',
    '/mcp/%2e%2e',
    '/mcp/%2e%2e%2fmcp',
    '/mcp//one',
    '/mcp/one/',
    '/mcp/one/..',
    '/mcp/one%2f..',
    '/mcp/one%00',
    '/mcp/one;x',
    '/mcp/one#x',
    '/mcp/ONE',
    '/mcp\\one',
    '/mcp/%',
    '/mcp/%ff',
    '/mcp/%256fne',
    '/mcp/@',
    '/mcp/@@review',
    '/mcp/@one',
    '/mcp/review',
    '/mcp/__proto__',
    '/mcp/@__proto__',
    '/mcp/constructor',
    '/health/../mcp',
    '*',
    'http://localhost/mcp',
    'http://evil.example/mcp',
  ])('%s leads nowhere', async (path) => {
    expect(statuses(await post(valid(), INITIALIZE, path))).toEqual([404]);
  });

  test.each(['/mcp/one', '/mcp/%6fne', '/mcp/one?x=/../', '/mcp/@review', '/mcp/%40review'])('%s', async (path) => {
    expect(statuses(await post(valid(), INITIALIZE, path))).toEqual([200]);
  });
});

describe('a body', () => {
  test.each([
    ['compressed', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(100_000_000)).toString('latin1'), 415],
    ['compressed, without saying so', {}, gzipSync(INITIALIZE).toString('latin1'), 400],
    ['in UTF-16', {}, Buffer.from(INITIALIZE, 'utf16le').toString('latin1'), 400],
    ['with a byte order mark', {}, `\xef\xbb\xbf${INITIALIZE}`, 400],
    ['with invalid UTF-8', {}, INITIALIZE.replace('"x"', '"\xff\xfe"'), 400],
    ['with two messages', {}, `${INITIALIZE}\n${INITIALIZE}`, 400],
    ['empty', {}, '', 400],
  ])('%s', async (_, headers, body, status) => {
    const { socket, write, received } = await gateway().raw().connect();
    write(`POST /mcp HTTP/1.1\r\n${valid({ ...headers, 'content-length': body.length })}\r\n`);
    socket.write(body, 'latin1');
    expect(statuses(await received)).toEqual([status]);
  });

  test.each([
    ['a byte order mark', Buffer.from(`\ufeff${JSON.stringify(toolCall(1, 'one__echo', { text: 'x' }))}`)],
    ['invalid bytes', Buffer.from(JSON.stringify(toolCall(1, 'one__echo', { text: 'x\xff' })), 'latin1')],
    ['an overlong slash', Buffer.from(JSON.stringify(toolCall(1, 'one__echo', { text: '\xc0\xaf' })), 'latin1')],
    ['an encoded surrogate', Buffer.from(JSON.stringify(toolCall(1, 'one__echo', { text: '\xed\xa0\x80' })), 'latin1')],
  ])('with %s reaches no server, also in a session', async (_, body) => {
    const raw = gateway().raw();
    const { headers } = await raw.initialize({ headers: { authorization: gateway().authorizationOf('alice') } });
    expect(await raw.send({ headers, body })).toMatchObject({ status: 400, message: { error: { code: -32700 } } });
  });

  test('of endless chunks gets 413, and the gateway keeps nothing of it', async () => {
    const { socket, write, received } = await gateway().raw().connect();
    write(`POST /mcp HTTP/1.1\r\n${valid({ 'transfer-encoding': 'chunked' })}\r\n`);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    while (socket.writable) if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), received]);
    expect(statuses(await received)).toEqual([413]);
    expect(gateway().process.peakMib()).toBeLessThan(400);
  });

  test('of a chunk with a long extension is refused', async () => {
    const chunk = `1;${'x'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`;
    const answer = await send(`POST /mcp HTTP/1.1\r\n${valid({ 'transfer-encoding': 'chunked' })}\r\n${chunk}`);
    expect(statuses(answer)).toEqual([413]);
  });
});

test('bytes that follow a request do not end up in its response', async () => {
  const raw = gateway().raw();
  const { headers } = await raw.initialize({ headers: { authorization: gateway().authorizationOf('alice') } });
  const { write, received } = await raw.connect();
  const lines = headerLines({ ...headers, accept: 'text/event-stream' });
  write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n\r\nnonsense\r\n\r\n`);
  expect(statuses(await received)).toEqual([200]);
});

test('the gateway still serves after all of this', async () => {
  const raw = gateway().raw();
  const { headers } = await raw.initialize({ headers: { authorization: gateway().authorizationOf('alice') } });
  const { message } = await raw.post(toolCall(1, 'one__echo', { text: 'fine' }), headers);
  expect(message).toMatchObject({ id: 1, result: { content: [{ text: 'fine' }] } });
  expect(gateway().process.stderr).not.toMatch(/Error|at .*\.js/);
});
