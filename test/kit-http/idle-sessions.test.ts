import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { openTestFront } from './front.ts';
import { headerLines } from './raw-client.ts';

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

/** Stops this process, including the front, as a busy machine does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function requestText(headers: Readonly<Record<string, string>>, body: string): string {
  const all = { host: 'localhost', connection: 'close', 'content-length': Buffer.byteLength(LIST), ...headers };
  return `POST /mcp HTTP/1.1\r\n${headerLines(all)}\r\n\r\n${body}`;
}

verifies(
  'http:session:alive',
  'a request that arrives while the process is stopped for longer than the idle limit finds its session',
  async () => {
    const { raw } = await openTestFront({ limits: { heartbeatMs: 20, sessionIdleMs: 200 } });
    const { headers } = await raw.initialize();
    const socket = await raw.connect();
    // By then the front has accepted the connection.
    await raw.send({ method: 'GET', path: '/nothing' });
    // The system has the whole request before the front continues.
    socket.write(requestText(headers, LIST));
    block(1_000);
    expect(await socket.received).toMatch(/^HTTP\/1\.1 200 /);
  },
);

verifies('http:session:alive', 'a session does not expire while the process is too busy to read', async () => {
  const { raw } = await openTestFront({ limits: { heartbeatMs: 20, sessionIdleMs: 100 } });
  const { headers } = await raw.initialize();
  for (let round = 0; round < 10; round++) {
    block(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await raw.post(LIST, headers)).status).toBe(200);
});

verifies('http:session:alive', 'a session does not expire while the client sends a request', async () => {
  const { raw, front } = await openTestFront({ limits: { heartbeatMs: 20, sessionIdleMs: 100 } });
  const { headers } = await raw.initialize();
  // Expires long before the end of the request below.
  const { headers: other } = await raw.initialize();
  const socket = await raw.connect();
  socket.write(requestText(headers, LIST.slice(0, 10)));
  await expect.poll(() => front.counts.sessions).toBe(1);
  await expect.poll(async () => (await raw.post(LIST, other)).status).toBe(404);
  socket.write(LIST.slice(10));
  expect(await socket.received).toMatch(/^HTTP\/1\.1 200 /);
});

test('a client that disconnects in the middle of a request does not keep its session', async () => {
  const { raw, front } = await openTestFront({ limits: { heartbeatMs: 20, sessionIdleMs: 100 } });
  const { headers } = await raw.initialize();
  const { headers: other } = await raw.initialize();
  const socket = await raw.connect();
  socket.write(requestText(headers, LIST.slice(0, 10)));
  await expect.poll(() => front.counts.sessions).toBe(1);
  await expect.poll(async () => (await raw.post(LIST, other)).status).toBe(404);
  socket.socket.destroy();
  await expect.poll(() => front.counts.sessions).toBe(0);
});
