import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { statusOf } from '../gateway/server-status.ts';
import { answerBasics, at, type Handle, httpHarness, ofMethod, sendJson, textOf } from './harness.ts';

const { openServer, openGateway } = httpHarness();
const EVENTS = { 'content-type': 'text/event-stream' };
/** More than the buffers of a connection hold. */
const LARGE_BYTES = 16 * 1024 * 1024;
const done = (id: unknown) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } });

/** A server with a session. The test responds to its calls and streams. */
function withSession(handle: Handle): Handle {
  return (came, response) => {
    if (came.message.method === 'initialize') response.setHeader('mcp-session-id', 's');
    const isOurs = came.method === 'GET' || came.message.method === 'tools/call';
    return isOurs ? handle(came, response) : answerBasics(came, response);
  };
}

describe('a stream', () => {
  test('that a server keeps ending before the response is followed until the response arrives', async () => {
    let polls = 0;
    let callId: unknown;
    const server = await openServer(
      withSession(({ method, message, headers }, response) => {
        if (method === 'GET' && headers['last-event-id'] === undefined) return response.writeHead(405).end();
        callId ??= message.id;
        response.writeHead(200, EVENTS).write(`id: ${++polls}\nretry: 50\ndata:\n\n`);
        return response.end(polls <= 8 ? '' : `data: ${JSON.stringify(done(callId))}\n\n`);
      }),
    );
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('done');
    expect(polls).toBe(9);
  });

  test('that cannot be reopened yet does not end pending calls', async () => {
    let streams = 0;
    let call: (() => void) | undefined;
    let endStream = () => {};
    const server = await openServer(
      withSession(({ method, message }, response) => {
        if (method === 'GET' && ++streams > 1) {
          // The call gets its response after the rejection has been received.
          if (streams === 2) setTimeout(() => call?.(), 500);
          return response.writeHead(409).end();
        }
        if (method === 'GET') {
          response.writeHead(200, EVENTS).write('\n');
          endStream = () => response.end();
          return call === undefined ? undefined : endStream();
        }
        call = () => sendJson(response, done(message.id));
        return endStream();
      }),
    );
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('done');
    expect(streams).toBeGreaterThan(1);
  });

  test('is never reopened without a pause, whatever the server says', async () => {
    let streams = 0;
    const startedAt = performance.now();
    const server = await openServer(
      withSession(({ method, message }, response) => {
        if (method !== 'GET') return sendJson(response, done(message.id));
        streams++;
        const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info' } });
        return response.writeHead(200, EVENTS).end(`retry: 0\ndata: ${note}\n\n`);
      }),
    );
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('done');
    await delay(1_500);
    // One immediately, and one per second after that.
    expect(streams).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 1_000);
  });

  test('with an oversized event is abandoned, and calls continue', async () => {
    let streams = 0;
    const server = await openServer(
      withSession(({ method, message }, response) => {
        if (method !== 'GET') return sendJson(response, done(message.id));
        streams++;
        response.writeHead(200, EVENTS).write('data: ');
        const more = () => {
          while (response.writable && response.write(Buffer.alloc(1024 * 1024, 'x')));
        };
        response.on('drain', more);
        return more();
      }),
    );
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    expect(textOf(await client.call('far__echo'))).toBe('done');
    await delay(2_000);
    expect(textOf(await client.call('far__echo'))).toBe('done');
    expect({ streams, state: statusOf(gateway, 'far').state }).toEqual({ streams: 1, state: 'ready' });
  });

  test('in response to a notification is closed', async () => {
    let isHungUp = false;
    const server = await openServer((came, response) => {
      if (came.message.method !== 'notifications/cancelled')
        return answerBasics(came, response) || came.message.method === 'tools/call';
      response.on('close', () => {
        isHungUp = true;
      });
      return response.writeHead(200, EVENTS).write(': here I am\n\n');
    });
    const client = await openGateway({ far: at(server.url, { requestTimeoutMs: 2_000 }) }).connect();
    await client.toolNames();
    expect((await client.call('far__echo')).error?.code).toBe(1008);
    await expect.poll(() => isHungUp, { timeout: 30_000 }).toBe(true);
  });
});

describe('an answer', () => {
  const calling = async (answer: Handle) => {
    const server = await openServer((came, response) => answerBasics(came, response) || answer(came, response));
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.toolNames();
    return client.call('far__echo');
  };

  test('that is an error without an id is the error of this call', async () => {
    const { error } = await calling((_, response) =>
      sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'No calls are left' } }),
    );
    expect(error).toMatchObject({ code: -32600, message: 'No calls are left', data: { serverName: 'far' } });
  });

  test('in another protocol fails at once', async () => {
    const { error } = await calling((_, { socket }) =>
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\n'),
    );
    expect(error).toMatchObject({
      code: 1104,
      message: expect.stringMatching(/closed the connection without a response\. The server may have done this/),
    });
  });

  test('that breaks off after a redirect fails at once', async () => {
    const { error } = await calling(({ path }, response) => {
      if (path === '/mcp') return response.writeHead(307, { location: '/elsewhere' }).end();
      return response.socket?.destroy();
    });
    expect(error).toMatchObject({ code: 1104, data: { serverName: 'far', retryable: false } });
  });

  test('to a call that was redirected before it was read whole counts, although the first connection breaks', async () => {
    let breakFirst = () => {};
    const server = await openServer(
      (came, response) => answerBasics(came, response) || sendJson(response, done(came.message.id)),
      ({ headers, url, socket }) => {
        if (Number(headers['content-length']) < LARGE_BYTES) return false;
        if (url === '/elsewhere') breakFirst();
        else {
          breakFirst = () => socket.resetAndDestroy();
          socket.write('HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n');
        }
        return url !== '/elsewhere';
      },
    );
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.toolNames();
    expect(textOf(await client.call('far__echo', { text: 'x'.repeat(LARGE_BYTES) }))).toBe('done');
    expect(ofMethod(server.requests, 'tools/call').map(({ path }) => path)).toEqual(['/elsewhere']);
  });

  test('with an error status and an endless body is reported by its status', async () => {
    const { error } = await calling((_, response) =>
      response.writeHead(500, { 'content-type': 'text/plain' }).write('out of order'),
    );
    expect(error).toMatchObject({
      code: 1074,
      message: expect.stringContaining('answered HTTP 500 Internal Server Error: out of order'),
    });
  });
});

test('a server that does not answer notifications/initialized is called anyway', async () => {
  const server = await openServer((came, response) => {
    if (came.message.method === 'notifications/initialized') return;
    return answerBasics(came, response) || sendJson(response, done(came.message.id));
  });
  const client = await openGateway({ far: at(server.url) }).connect();
  expect(textOf(await client.call('far__echo'))).toBe('done');
});

test('an HTTP+SSE server whose stream requires a key says so', async () => {
  const server = await openServer(({ method }, response) => response.writeHead(method === 'GET' ? 401 : 404).end());
  const client = await openGateway({ far: at(server.url, { isSse: true }) }).connect();
  expect((await client.call('far__echo')).error).toMatchObject({
    code: 1084,
    message: expect.stringMatching(/answered 401 and offers no sign-in.*headers\.Authorization/),
  });
});

describe('a modern server', () => {
  const modern = (answer: Handle): Handle => {
    return (came, response) => {
      const { message } = came;
      const reply = (result: object) =>
        sendJson(response, { jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...result } });
      const common = { capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
      if (came.method !== 'POST') return response.writeHead(405).end();
      if (message.method === 'server/discover') {
        const answered = { jsonrpc: '2.0', id: message.id, result: { supportedVersions: ['2026-07-28'], ...common } };
        const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'hello' } };
        return response
          .writeHead(200, EVENTS)
          .end([note, answered].map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));
      }
      return answer(came, response) ?? reply({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
    };
  };

  test('that sends a notification before its server/discover result is accepted', async () => {
    const server = await openServer(
      modern(({ message }, response) => {
        if (message.method !== 'tools/call') return undefined;
        sendJson(response, done(message.id));
        return true;
      }),
    );
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('done');
  });

  test('gets no further request for a call that was cancelled while its headers were looked up', async () => {
    let isListing: (() => void) | undefined;
    const server = await openServer(
      modern(({ message, headers }, response) => {
        if (message.method === 'tools/call' && headers['mcp-name'] === 'echo') {
          sendJson(
            response,
            { jsonrpc: '2.0', id: message.id, error: { code: -32020, message: 'which?' } },
            { status: 400 },
          );
          return true;
        }
        // The list that the gateway itself requested is held until the client has disconnected.
        if (message.method !== 'tools/list' || !String(message.id).startsWith('tools-')) return undefined;
        isListing = () =>
          sendJson(response, { jsonrpc: '2.0', id: message.id, result: { tools: [], resultType: 'complete' } });
        return true;
      }),
    );
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.toolNames();
    client.send({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'far__echo', arguments: {} } });
    await expect.poll(() => isListing).toBeDefined();
    client.notify('notifications/cancelled', { requestId: 'c' });
    await delay(100);
    isListing?.();
    await delay(300);
    expect(ofMethod(server.requests, 'tools/call')).toHaveLength(1);
  });
});
