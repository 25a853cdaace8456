import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { headerLines, toolCall } from '../kit-http/raw-client.ts';
import { verifies } from '../verifies.ts';
import { useRunningGateway } from './running-gateway.ts';

const config = () => ({ version: 1, mcp: { servers: { one: fixture('well-behaved') } } });

/** Opens connections that send nothing, or the beginning of a request. Closed by the caller. */
async function openIdle(port: number, number: number, text = ''): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < number) {
    const batch = Array.from({ length: Math.min(100, number - sockets.length) }, () => connect(port, '127.0.0.1'));
    for (const socket of batch) {
      // The gateway closes some of them.
      socket.on('error', () => {});
      socket.resume();
      if (text !== '') socket.write(text);
    }
    await Promise.all(batch.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
    sockets.push(...batch);
  }
  return sockets;
}

describe('with the default limits', () => {
  const gateway = useRunningGateway({ config });
  const session = async () => {
    const raw = gateway().raw();
    const { headers } = await raw.initialize({ headers: { authorization: gateway().authorizationOf('alice') } });
    return { headers, echo: () => raw.post(toolCall(1, 'one__echo', { text: 'served' }), headers) };
  };

  verifies(
    'gateway:http:idle',
    'ten thousand idle connections do not keep a client from being served',
    async () => {
      const sockets = await openIdle(gateway().port, 10_000);
      const { echo } = await session();
      expect((await echo()).text).toContain('served');
      expect(gateway().process.peakMib()).toBeLessThan(600);
      for (const socket of sockets) socket.destroy();
    },
    180_000,
  );

  verifies(
    'gateway:http:idle',
    'clients that send a request slowly lose their connection within the limits',
    async () => {
      const { headers, echo } = await session();
      const authorized = headerLines({ ...headers, 'transfer-encoding': 'chunked' });
      const slow = [
        ...(await openIdle(gateway().port, 50, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ')),
        ...(await openIdle(gateway().port, 50, `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${authorized}\r\n\r\n`)),
        ...(await openIdle(
          gateway().port,
          50,
          'POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
        )),
      ];
      const drip = setInterval(() => {
        for (const [index, socket] of slow.entries())
          if (socket.writable) socket.write(index < 50 ? 'x' : '1\r\nx\r\n');
      }, 500);
      const ended = Promise.all(slow.map((socket) => (socket.closed ? undefined : once(socket, 'close'))));
      expect((await echo()).text).toContain('served');
      await ended;
      clearInterval(drip);
      expect((await echo()).text).toContain('served');
    },
    180_000,
  );

  verifies(
    'gateway:http:limits',
    'the 1001st request of a client gets 429, and another client is served',
    async () => {
      const raw = gateway().raw();
      const { headers } = await session();
      const call = (id: number) =>
        raw.open({ headers, body: JSON.stringify(toolCall(id, 'one__slow', { ms: 120_000 })) });
      const calls = Array.from({ length: 1_000 }, (_, index) => call(index).catch(() => undefined));
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      await expect.poll(async () => (await raw.post(ping, headers)).status).toBe(429);
      expect((await (await session()).echo()).text).toContain('served');
      await raw.send({ method: 'DELETE', headers });
      await Promise.all(calls.map(async (opened) => (await opened)?.close()));
    },
    180_000,
  );
});

describe('with few file descriptors', () => {
  const gateway = useRunningGateway({ config, maxOpenFiles: 256 });

  test('a flood of connections leaves enough for servers and other clients', async () => {
    const sockets = await openIdle(gateway().port, 2_000);
    const raw = gateway().raw();
    const { headers } = await raw.initialize({ headers: { authorization: gateway().authorizationOf('alice') } });
    // Starts the server.
    expect((await raw.post(toolCall(1, 'one__echo', { text: 'served' }), headers)).text).toContain('served');
    for (const socket of sockets) socket.destroy();
  }, 120_000);
});
