import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { statusOf, untilState } from '../gateway/server-status.ts';
import { verifies } from '../verifies.ts';
import { answerBasics, at, httpHarness, ofMethod, sendJson, textOf } from './harness.ts';

const { openGateway, openFixture, reopenFixture, openServer, processes } = httpHarness();

describe('a session that the server has forgotten', () => {
  test('is restarted, and the call that failed is made once', async () => {
    const server = await openFixture('forgets-session', '--calls', '2');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    const counts = [];
    for (let calls = 0; calls < 5; calls++) counts.push(textOf(await client.call('far__count')));
    expect(counts).toEqual(['1', '2', '3', '4', '5']);
    expect(ofMethod(await server.requests(), 'initialize')).toHaveLength(3);
    expect(statusOf(gateway, 'far')).toMatchObject({ state: 'ready', restarts: 2 });
  });

  test('is detected by the stream too, before the next call', async () => {
    const server = await openFixture('well-behaved', '--retry', '10');
    const { connect } = openGateway({ far: at(server.url) });
    const client = await connect();
    await client.call('far__echo', { text: 'a' });
    await server.control('/_forget');
    await expect.poll(async () => ofMethod(await server.requests(), 'initialize').length, { timeout: 30_000 }).toBe(2);
    expect(textOf(await client.call('far__echo', { text: 'b' }))).toBe('b');
  });

  test('is restarted once for many concurrent calls, and each call is made once', async () => {
    const server = await openFixture('well-behaved');
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.call('far__echo', { text: 'a' });
    await server.control('/_forget');
    const counts = await Promise.all(Array.from({ length: 8 }, () => client.call('far__count')));
    expect(counts.map(textOf).toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(ofMethod(await server.requests(), 'initialize')).toHaveLength(2);
  });

  test('as reported by server-everything, with 400 and without an id, is restarted', async () => {
    let sessions = 0;
    let known = '';
    const server = await openServer((came, response) => {
      const { message, headers } = came;
      if (message.method === 'initialize') {
        known = `session-${++sessions}`;
        const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a' } };
        return sendJson(response, { jsonrpc: '2.0', id: message.id, result }, { headers: { 'mcp-session-id': known } });
      }
      if (headers['mcp-session-id'] !== known && message.method !== 'server/discover') {
        const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
        return sendJson(response, { jsonrpc: '2.0', error, id: null }, { status: 400 });
      }
      if (answerBasics(came, response)) return;
      const result = { content: [{ type: 'text', text: known }] };
      return sendJson(response, { jsonrpc: '2.0', id: message.id, result });
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('session-1');
    known = 'restarted';
    expect(textOf(await client.call('far__echo'))).toBe('session-2');
  });

  test('is not assumed for a server that rejects every request with 400', async () => {
    const server = await openServer((came, response) => {
      const { message } = came;
      if (message.method === 'initialize') {
        const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a' } };
        return sendJson(response, { jsonrpc: '2.0', id: message.id, result }, { headers: { 'mcp-session-id': 'a' } });
      }
      if (message.id === undefined) return answerBasics(came, response);
      const error = { code: -32000, message: 'Bad Request: no workspace' };
      return sendJson(response, { jsonrpc: '2.0', error, id: null }, { status: 400 });
    });
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    await client.call('far__echo');
    await client.call('far__echo');
    expect(ofMethod(server.requests, 'tools/list').length).toBeGreaterThan(1);
    expect(ofMethod(server.requests, 'initialize')).toHaveLength(1);
    expect(statusOf(gateway, 'far')).toMatchObject({ state: 'degraded' });
  });

  test('repeatedly is finally reported to the caller', async () => {
    const server = await openFixture('forgets-session', '--calls', '0');
    const client = await openGateway({ far: at(server.url), near: fixture('well-behaved') }).connect();
    const { error } = await client.call('far__echo', { text: 'a' });
    expect(error).toMatchObject({
      code: 1024,
      message: expect.stringContaining('no longer knows this session'),
      data: { serverName: 'far', retryable: true },
    });
    // It is retried once, not forever.
    expect(ofMethod(await server.requests(), 'tools/call').length).toBeLessThanOrEqual(2);
    expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
  });
});

describe('a server that is restarted', () => {
  verifies('host:connect:reconnect', 'at the same URL: the next call works', async () => {
    const server = await openFixture('well-behaved');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
    await server.close();
    await reopenFixture('well-behaved', server);
    expect(textOf(await client.call('far__echo', { text: 'b' }))).toBe('b');
    expect(statusOf(gateway, 'far').state).toBe('ready');
  });

  test.each(['stateless', 'modern'] as const)('and is %s: the next call works', async (name) => {
    const server = await openFixture(name);
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
    await server.close();
    await reopenFixture(name, server);
    expect(textOf(await client.call('far__echo', { text: 'b' }))).toBe('b');
  });

  test('and uses HTTP+SSE: it reconnects by itself', async () => {
    const server = await openFixture('legacy-sse');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
    await server.close();
    await reopenFixture('legacy-sse', server);
    await untilState(gateway, 'far', 'ready');
    expect(textOf(await client.call('far__echo', { text: 'b' }))).toBe('b');
  });

  verifies(
    ['host:connect:lost-during-call', 'host:connect:lost'],
    'during a call: the call fails and is not repeated, because the server may have received it',
    async () => {
      const server = await openFixture('well-behaved');
      const { connect } = openGateway({ far: at(server.url), near: fixture('well-behaved') });
      const client = await connect();
      const lost = client.call('far__slow', { ms: 60_000 });
      await expect.poll(async () => ofMethod(await server.requests(), 'tools/call').length).toBe(1);
      server.process.kill('SIGKILL');
      expect((await lost).error).toMatchObject({ code: 1104, data: { serverName: 'far', retryable: false } });
      const again = await reopenFixture('well-behaved', server);
      expect(textOf(await client.call('far__echo', { text: 'b' }))).toBe('b');
      const called = ofMethod(await again.requests(), 'tools/call').map(({ body }) => JSON.parse(body).params.name);
      expect(new Set(called)).toEqual(new Set(['echo']));
      expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
    },
  );

  test('after a while: calls fail as down meanwhile, and it reconnects by itself', async () => {
    const server = await openFixture('well-behaved');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    await client.call('far__echo', { text: 'a' });
    await server.close();
    // The first may be cut off on a connection that was open a moment ago.
    const failing = async () => (await client.call('far__echo', { text: 'b' })).error;
    await expect.poll(async () => (await failing())?.code, { timeout: 30_000 }).toBe(1074);
    expect(await failing()).toMatchObject({
      code: 1074,
      message: expect.stringMatching(
        /^Server error: far is down: 127\.0\.0\.1:\d+: nothing answers at this address \(ECONNREFUSED\)\. Run: /,
      ),
    });
    await reopenFixture('well-behaved', server);
    await expect.poll(() => statusOf(gateway, 'far').state, { timeout: 30_000 }).toBe('ready');
    expect(textOf(await client.call('far__echo', { text: 'c' }))).toBe('c');
  });

  test('and is the official one: the next call works', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const first = await startEverything(port, url);
    const client = await openGateway({ far: at(url) }).connect();
    expect(textOf(await client.call('far__echo', { message: 'a' }))).toBe('Echo: a');
    first.kill('SIGKILL');
    await once(first, 'exit');
    const second = await startEverything(port, url);
    expect(textOf(await client.call('far__echo', { message: 'b' }))).toBe('Echo: b');
    second.kill('SIGKILL');
    await once(second, 'exit');
  });
});

describe('connections between calls', () => {
  test('are kept alive and reused for many calls', async () => {
    const ports = new Set<string | undefined>();
    const server = await openServer((came, response) => {
      ports.add(String(response.socket?.remotePort));
      if (answerBasics(came, response)) return;
      sendJson(response, { jsonrpc: '2.0', id: came.message.id, result: { content: [{ type: 'text', text: 'a' }] } });
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    for (let calls = 0; calls < 20; calls++) await client.call('far__echo');
    expect(ports.size).toBeLessThanOrEqual(4);
  });

  test('that the server closes are reopened', async () => {
    const server = await openFixture('closes-idle-sockets', '--ms', '20');
    const client = await openGateway({ far: at(server.url) }).connect();
    // The gateway requests these lists itself, and must not do so during the calls below.
    for (const kind of ['tools', 'prompts', 'resources', 'resources/templates']) await client.request(`${kind}/list`);
    for (const text of ['a', 'b', 'c', 'd']) {
      // A call that is sent while the server closes its connection is not repeated. So wait until the server has closed
      // all connections and, for several turns of the event loop, until the gateway has read that.
      await expect.poll(() => server.control('/_posted')).toBe(0);
      for (let turn = 0; turn < 10; turn++) await delay(10);
      expect(textOf(await client.call('far__echo', { text }))).toBe(text);
    }
  });

  test('that are reset on reuse never lose initialize or a list', async () => {
    const server = await openFixture('closes-idle-sockets', '--reused', 'reset');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    expect(await client.toolNames()).toContain('far__echo');
    expect(statusOf(gateway, 'far').state).toBe('ready');
    // It is unknown whether the server received a call: it either succeeds or reports an error.
    const { result, error } = await client.call('far__count');
    expect(result?.content[0].text ?? error?.code).toEqual(result === undefined ? 1104 : '1');
  });
});

async function startEverything(port: number, url: string) {
  const main = fileURLToPath(
    new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
  );
  const env = processes.env({ PORT: String(port) });
  const server = spawn(process.execPath, [main, 'streamableHttp'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  server.stderr.resume();
  await expect
    .poll(
      () =>
        fetch(url, { method: 'GET' }).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 30_000, interval: 50 },
    )
    .toBeGreaterThan(0);
  return server;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
