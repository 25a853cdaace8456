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
async function session(raw: RawClient, person = 'alice', capabilities = {}) {
  const headers = { authorization: gateway().authorizationOf(person) };
  return (await raw.initialize({ headers, capabilities })).headers;
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
/** The JSON-RPC code for calls that a server has received. */
const OUTCOME_UNKNOWN = 1104;
/** Of a client that can be asked. */
const CAPABILITIES = { elicitation: {} };
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
    const id = String(own['mcp-session-id']);
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
    const slow = raw.post(toolCall(7, 'one__slow', { ms: 500 }), headers);
    const echo = await Promise.all(['a', 'b'].map((text) => raw.post(toolCall(7, 'one__echo', { text }), headers)));
    expect(echo.map(({ message }) => [message.id, message.result])).toEqual(
      ['a', 'b'].map((text) => [7, { content: [{ type: 'text', text }] }]),
    );
    expect((await slow).message).toMatchObject({ id: 7, result: {} });
    for (const stream of streams) stream.close();
  });
});

test.each([
  { host: 'evil.example' },
  { host: 'localhost.evil.example' },
  { host: '127.0.0.1.nip.io' },
  { host: '0x7f.1' },
  { host: 'localhost:80@evil.example' },
  { origin: 'https://evil.example' },
  { origin: 'http://localhost.evil.example' },
  { origin: 'http://evil.example@localhost' },
  { origin: 'file://' },
  { origin: 'null' },
  { origin: '' },
])('a request from a web page is refused with a valid token and session: %j', async (foreign) => {
  const raw = gateway().raw();
  const headers = { ...(await session(raw)), ...foreign };
  for (const path of ['/mcp', '/mcp/one', '/mcp/@review', '/health', '/nothing']) {
    for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS']) {
      const { status, headers: received } = await raw.send({ method, path, headers, body: PING });
      expect([method, path, status]).toEqual([method, path, 403]);
      expect(Object.keys(received).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  }
});

test.each([
  [undefined, 'Bearer'],
  ['', 'Bearer error="invalid_token"'],
  ['Bearer', 'Bearer error="invalid_token"'],
  ['Bearer none', 'Bearer error="invalid_token"'],
  ['Basic YTpi', 'Bearer error="invalid_token"'],
])('a request without a valid token gets a challenge: %j', async (authorization, challenge) => {
  const raw = gateway().raw();
  for (const path of ['/mcp', '/mcp/one', '/mcp/@review', '/mcp/none', '/nothing'])
    for (const method of ['POST', 'GET', 'DELETE'])
      expect(await raw.send({ method, path, headers: { authorization }, body: PING })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': challenge },
      });
});

test('a client cannot answer the questions of another one, or cancel its calls', async () => {
  const raw = gateway().raw();
  const [alice, bob] = [await session(raw, 'alice', CAPABILITIES), await session(raw, 'bob', CAPABILITIES)];
  const call = await raw.open({ headers: alice, body: JSON.stringify(toolCall('same', 'ask__ask')) });
  const { message: question } = await call.next();
  expect(question).toMatchObject({ method: 'elicitation/create' });
  const answer = { jsonrpc: '2.0', id: question?.id, result: { action: 'accept', content: { name: 'Mallory' } } };
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } };
  for (const intruder of [bob, await session(raw, 'alice', CAPABILITIES)]) {
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
  const secret = String(headers.authorization).replace('Bearer ', '');
  for (const mine of [secret, headers['mcp-session-id'], 'mine', 'for=me']) expect(received).not.toContain(mine);
  const all = JSON.stringify(await web?.requests());
  expect(all).not.toContain(secret);
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
