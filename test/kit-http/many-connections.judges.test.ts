import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openTestFront } from './front.ts';

test('ten thousand idle connections do not keep a client from being served', async () => {
  const { raw, port } = await openTestFront({ limits: { maxConnections: 1000, headersTimeoutMs: 60_000 } });
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let count = 0; count < 10_000; count++) {
    const socket = connect(port, '127.0.0.1');
    // The server closes most of them.
    socket.on('error', () => {});
    socket.resume();
    sockets.push(socket);
    if (count % 100 === 99) await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  }
  const { headers } = await raw.initialize();
  expect((await raw.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).toBe(200);
});
