import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PassConnection } from '../../src/serve/fronts/http/connections.ts';
import type { HttpLimits } from '../../src/serve/fronts/http/limits.ts';
import { openTestFront } from './front.ts';
import { createRawClient, headerLines, toolCall } from './raw-client.ts';

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

/** A front whose connections come from a listener, as from another process. */
async function openFrontBehind({ isNew, limits = {} }: { isNew: boolean; limits?: Partial<HttpLimits> }) {
  const opened = await openTestFront({ isSuccessor: true, limits });
  const listener = createServer({ pauseOnConnect: true }, (socket) => {
    socket.resume();
    opened.front.accept({ socket, isNew });
  });
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listener.close());
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { ...opened, raw: createRawClient(port) };
}

function requestText(headers: Readonly<Record<string, string>>): string {
  const all = { host: 'localhost', 'content-length': Buffer.byteLength(LIST), ...headers };
  return `POST /mcp HTTP/1.1\r\n${headerLines(all)}\r\n\r\n${LIST}`;
}

describe.each([true, false])('a connection from another process that is new: %j', (isNew) => {
  test('serves requests', async () => {
    const { raw } = await openFrontBehind({ isNew });
    const { headers } = await raw.initialize();
    expect((await raw.post(LIST, headers)).status).toBe(200);
  });

  test('is closed if its client sends only a part of a request', async () => {
    const { raw } = await openFrontBehind({ isNew, limits: { headersTimeoutMs: 200 } });
    const socket = await raw.connect();
    socket.write('POST /mcp HTTP/1.1\r\nHost:');
    expect(await socket.received).toMatch(/^HTTP\/1\.1 408 /);
  });
});

test('a used connection from another process may be idle for longer than a new one', async () => {
  const limits = { headersTimeoutMs: 50, keepAliveTimeoutMs: 500 };
  const fresh = await (await openFrontBehind({ isNew: true, limits })).raw.connect();
  const used = await (await openFrontBehind({ isNew: false, limits })).raw.connect();
  expect(await fresh.received).toMatch(/^HTTP\/1\.1 408 /);
  // Closed without a response, which the client could take for that of its next request.
  expect(await used.received).toBe('');
});

describe('while a front hands over', () => {
  /** Collects the offers of a front. `take` is called by the test. */
  function collectOffers() {
    const offers: Parameters<PassConnection>[0][] = [];
    const pass: PassConnection = (take) => offers.push(take);
    return { offers, pass };
  }

  const closeSocket = (socket: Socket | undefined) => void socket?.destroy();

  test('it offers idle connections, and busy ones when their response has ended', async () => {
    const { raw, front, waiting } = await openTestFront();
    const { headers } = await raw.initialize();
    const call = raw.post(toolCall(1, 'wait'), headers);
    await expect.poll(() => waiting.length).toBe(1);
    const { offers, pass } = collectOffers();
    const idle = await raw.connect();
    await raw.send({ method: 'GET', path: '/nothing' });
    const handedOver = front.handOver(pass);
    const taken = offers.map((take) => take());
    expect(taken.map((passed) => passed?.isNew).sort()).toEqual([false, true]);
    for (const passed of taken) closeSocket(passed?.socket);
    await idle.received;
    waiting[0]?.finish('finished');
    expect((await call).message.result).toEqual({ content: [{ type: 'text', text: 'finished' }] });
    await handedOver;
    await expect.poll(() => offers.length).toBe(3);
    const last = offers[2]?.();
    expect(last?.isNew).toBe(false);
    closeSocket(last?.socket);
  });

  test('it keeps a connection of which it has read a part of a request', async () => {
    const { raw, front } = await openTestFront();
    const { headers } = await raw.initialize();
    const text = requestText({ ...headers, connection: 'close' });
    const socket = await raw.connect();
    socket.write(text.slice(0, 20));
    await raw.send({ method: 'GET', path: '/nothing' });
    const { offers, pass } = collectOffers();
    await front.handOver(pass);
    const taken = offers.map((take) => take()).filter((passed) => passed !== undefined);
    // The connection of the other client, which is idle.
    expect(taken.length).toBe(1);
    socket.write(text.slice(20));
    expect(await socket.received).toMatch(/^HTTP\/1\.1 /);
    for (const passed of taken) closeSocket(passed.socket);
  });

  test('it passes on a connection of an earlier process, with the request that waits on it', async () => {
    const { raw, front } = await openFrontBehind({ isNew: false });
    const socket = await raw.connect();
    await raw.send({ method: 'GET', path: '/nothing' });
    const { offers, pass } = collectOffers();
    await front.handOver(pass);
    socket.write(requestText({ connection: 'close' }));
    const taken = offers.map((take) => take()).filter((passed) => passed !== undefined);
    expect(taken.map(({ socket: { bytesRead }, isNew }) => ({ bytesRead, isNew }))).toContainEqual({
      bytesRead: 0,
      isNew: false,
    });
    for (const passed of taken) closeSocket(passed.socket);
  });

  test('it does not let a client end a session that another process continues', async () => {
    const { raw, front, port } = await openTestFront();
    const { headers } = await raw.initialize();
    const socket = await raw.connect();
    const text = `DELETE /mcp HTTP/1.1\r\n${headerLines({ host: `localhost:${port}`, connection: 'close', ...headers })}\r\n\r\n`;
    socket.write(text.slice(0, 20));
    await raw.send({ method: 'GET', path: '/nothing' });
    await front.handOver(() => {});
    socket.write(text.slice(20));
    expect(await socket.received).toMatch(/^HTTP\/1\.1 503 /);
  });
});
