import { describe, expect, test } from 'vitest';
import { DEFAULT_HTTP_LIMITS } from '../../src/serve/fronts/http/limits.ts';
import { fixture } from '../fixtures/paths.ts';
import { createRawClient, headerLines, modernRequest, toolCall } from '../kit-http/raw-client.ts';
import { verifies } from '../verifies.ts';
import { gatewayHttpHarness } from './harness.ts';

const harness = gatewayHttpHarness();
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const SLOW = { name: 'one__slow', arguments: { ms: 60_000 } };

async function open(limits: Partial<typeof DEFAULT_HTTP_LIMITS>) {
  const { front } = await harness.openGateway({ one: fixture('well-behaved') }, { limits });
  const raw = createRawClient(front.address.port);
  return { front, raw };
}

const busy = (status: number) => ({
  status,
  headers: { 'retry-after': '1' },
  message: { error: { code: 1034, message: expect.stringMatching(/again|wait/i) } },
});

describe('above a limit, the gateway answers with its status and counts it', () => {
  verifies('gateway:http:limits', 'requests of one client: 429, and other clients are served', async () => {
    const { raw, front } = await open({ maxRequestsPerClient: 2 });
    const [one, other] = [await raw.initialize(), await raw.initialize()];
    const calls = [1, 1].map((id) =>
      raw.open({ headers: one.headers, body: JSON.stringify(toolCall(id, SLOW.name, SLOW.arguments)) }),
    );
    await expect.poll(() => front.counts.requests).toBe(2);
    expect(await raw.post(PING, one.headers)).toMatchObject(busy(429));
    expect((await raw.post(PING, other.headers)).status).toBe(200);
    expect(front.counts.refused).toEqual({ 429: 1 });
    await raw.send({ method: 'DELETE', headers: one.headers });
    await Promise.allSettled(calls);
  });

  verifies('gateway:http:limits', 'requests of a modern client: 429', async () => {
    const { raw, front } = await open({ maxRequestsPerClient: 1 });
    const call = raw.open(modernRequest(1, 'tools/call', SLOW));
    await expect.poll(() => front.counts.requests).toBe(1);
    expect(await raw.send(modernRequest(2, 'tools/list'))).toMatchObject(busy(429));
    expect(front.counts).toMatchObject({ modernClients: 1, sessions: 0, refused: { 429: 1 } });
    await front.close({ drainMs: 0 });
    await Promise.allSettled([call]);
  });

  verifies('gateway:http:limits', 'requests of all clients: 503', async () => {
    const { raw, front } = await open({ maxRequests: 1 });
    const [one, other] = [await raw.initialize(), await raw.initialize()];
    const call = raw.open({ headers: one.headers, body: JSON.stringify(toolCall(1, SLOW.name, SLOW.arguments)) });
    await expect.poll(() => front.counts.requests).toBe(1);
    expect(await raw.post(PING, other.headers)).toMatchObject(busy(503));
    expect(await raw.send(modernRequest(1, 'tools/list'))).toMatchObject(busy(503));
    expect(front.counts.refused).toEqual({ 503: 2 });
    await raw.send({ method: 'DELETE', headers: one.headers });
    await Promise.allSettled([call]);
  });

  verifies('gateway:http:limits', 'sessions: 503, until one ends', async () => {
    const { raw, front } = await open({ maxSessions: 2 });
    const [first] = [await raw.initialize(), await raw.initialize()];
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const initialize = { jsonrpc: '2.0', id: 9, method: 'initialize', params };
    expect(await raw.post(initialize)).toMatchObject(busy(503));
    await raw.send({ method: 'DELETE', headers: first.headers });
    expect((await raw.post(initialize)).status).toBe(200);
    expect(front.counts).toMatchObject({ sessions: 2, refused: { 503: 1 } });
  });

  verifies('gateway:http:limits', 'bytes of a body: 413', async () => {
    const { raw, front } = await open({ maxBodyBytes: 1000 });
    const { headers } = await raw.initialize();
    const large = toolCall(1, 'one__echo', { text: 'x'.repeat(1000) });
    expect(await raw.post(large, headers)).toMatchObject({ status: 413, message: { error: { code: 1013 } } });
    expect(front.counts.refused).toEqual({ 413: 1 });
  });

  verifies(
    'gateway:http:limits',
    'connections: the one that is idle for longest is closed, or the new one gets 503',
    async () => {
      const { raw, front } = await open({ maxConnections: 3 });
      const { headers } = await raw.initialize();
      const idle = [await raw.connect(), await raw.connect(), await raw.connect(), await raw.connect()];
      await Promise.race(idle.map(({ received }) => received));
      const streams = [1, 2, 3].map(() => raw.open({ method: 'GET', headers }));
      for (const stream of await Promise.all(streams)) expect(stream.status).toBe(200);
      const refused = await raw.connect();
      expect(await refused.received).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/);
      expect(front.counts.connections).toBe(3);
      expect(front.counts.refused['503']).toBeGreaterThan(1);
      for (const stream of await Promise.all(streams)) stream.close();
    },
  );

  verifies('gateway:http:limits', 'time to send headers or a body: 408, with or without a token', async () => {
    const { raw, front } = await open({ headersTimeoutMs: 200, requestTimeoutMs: 400 });
    const slow = await Promise.all(
      [
        '',
        'GET /mcp HTTP/1.1\r\nX: ',
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines({ 'content-length': 9 })}\r\n\r\n{`,
      ].map(async (text) => {
        const { write, received } = await raw.connect();
        write(text);
        return (await received).slice(0, 13);
      }),
    );
    expect(slow).toEqual(['HTTP/1.1 408 ', 'HTTP/1.1 408 ', 'HTTP/1.1 408 ']);
    // The response of a refused request comes at once, and the rest of its body is not awaited for longer.
    const { write, received } = await raw.connect();
    write('POST /other HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n');
    expect(await received).toMatch(/^HTTP\/1\.1 404 /);
    expect(front.counts.refused).toEqual({ 404: 1, 408: 3 });
  });
});

test('the defaults are those in the documentation', () => {
  expect(DEFAULT_HTTP_LIMITS).toMatchObject({
    maxBodyBytes: 16 * 1024 * 1024,
    maxDescriptionBytes: 64 * 1024,
    maxBufferedBytes: 256 * 1024 * 1024,
    maxSessions: 10_000,
    maxRequestsPerClient: 1_000,
    maxRequests: 10_000,
    maxConnections: 20_000,
    headersTimeoutMs: 15_000,
    requestTimeoutMs: 60_000,
    keepAliveTimeoutMs: 120_000,
    sessionIdleMs: 1_800_000,
    stallTimeoutMs: 60_000,
    maxUnreadBytes: 8 * 1024 * 1024,
  });
});
