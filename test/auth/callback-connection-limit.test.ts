import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openCallbackListener } from '../../src/auth/sign-in/callback-listener.ts';
import { useTestbeds } from './login-harness.ts';

const newTestbed = useTestbeds();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const CONNECTION_FLOODS: readonly (readonly [string, number, string])[] = [
  ['sixty connections that say nothing', 60, ''],
  ['five hundred connections that say nothing', 500, ''],
  ['sixty requests that are never finished', 60, 'GET /callback/secret?state=right HTTP/1.1\r\nHost: 127.0.0.1\r\nX: '],
  ['five hundred requests that are never finished', 500, 'GET / HTTP/1.1\r\n'],
  ['sixty bodies that never come', 60, 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\nx'],
];

describe('answers the callback', () => {
  test.each(CONNECTION_FLOODS)('despite %s', async (_, count, data) => {
    const listener = await openCallbackListener({ path: '/callback/secret', ports: [0] });
    try {
      const received = listener.wait('right');
      await openIdleConnections(Number(new URL(listener.redirectUri).port), count, data);
      const response = await fetch(`${listener.redirectUri}?state=right&code=c`);
      expect([response.status, (await received).searchParams.get('code')]).toEqual([200, 'c']);
    } finally {
      listener.close();
    }
  });

  test('while new connections keep arriving', async () => {
    const listener = await openCallbackListener({ path: '/callback/secret', ports: [0] });
    try {
      const { port, pathname } = new URL(listener.redirectUri);
      const received = listener.wait('right');
      await openIdleConnections(Number(port), 300, '');
      const browser = await open(Number(port));
      browser.write(`GET ${pathname}?state=right&code=c HTTP/1.1\r\n`);
      await openIdleConnections(Number(port), 100, '');
      browser.write(`Host: 127.0.0.1:${port}\r\n\r\n`);
      expect((await received).searchParams.get('code')).toBe('c');
    } finally {
      listener.close();
    }
  });

  test('in a complete sign-in', async () => {
    const testbed = await newTestbed();
    await testbed.signIn({
      show: async (url) => {
        const redirect = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
        await openIdleConnections(Number(redirect.port), 60, '');
        await (await fetch(url)).text();
      },
    });
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
  });
});

test('closes a connection that is silent for a few seconds', async () => {
  const listener = await openCallbackListener({ path: '/callback', ports: [0] });
  try {
    const port = Number(new URL(listener.redirectUri).port);
    const silent = await open(port);
    const slow = await open(port);
    slow.write('GET / HTTP/1.1\r\nHost: ');
    await Promise.all([silent, slow].map((socket) => once(socket.resume(), 'close')));
  } finally {
    listener.close();
  }
});

async function openIdleConnections(port: number, count: number, data: string): Promise<void> {
  const opened = await Promise.all(Array.from({ length: count }, () => open(port)));
  if (data !== '') for (const socket of opened) socket.write(data);
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}
