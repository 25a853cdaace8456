import { once } from 'node:events';
import * as http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { createProxyAgent, tunnel } from '../../src/net/proxy.ts';

const opened: http.Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close().closeAllConnections();
});

async function listen(server: http.Server): Promise<URL> {
  opened.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

interface Proxy {
  readonly url: URL;
  /** The requests that it received, with their credentials. */
  readonly asked: string[];
  readonly connections: () => number;
  /** The first bytes sent through each tunnel. */
  readonly firstBytes: Promise<Buffer>[];
}

/** A real proxy. Tunnels to any host end at the given port of this machine. */
async function openProxy({ port, refuses = false }: { port?: number; refuses?: boolean }): Promise<Proxy> {
  const asked: string[] = [];
  const firstBytes: Promise<Buffer>[] = [];
  let connections = 0;
  const write = (request: http.IncomingMessage) =>
    asked.push(
      `${request.method} ${request.url} ${request.headers.host} ${request.headers['proxy-authorization'] ?? '-'}`,
    );
  const server = http.createServer((request, response) => {
    write(request);
    response.end(`for ${request.url}`);
  });
  server.on('connection', () => {
    connections++;
  });
  server.on('connect', (request, socket) => {
    write(request);
    if (refuses) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    socket.on('error', () => undefined);
    if (port !== undefined) {
      const through = connect(port, '127.0.0.1');
      through.on('error', () => socket.destroy());
      return void socket.pipe(through).pipe(socket);
    }
    const first = once(socket, 'data').then(([bytes]) => bytes as Buffer);
    firstBytes.push(first);
    first.then(
      () => socket.destroy(),
      () => undefined,
    );
  });
  return { url: await listen(server), asked, connections: () => connections, firstBytes };
}

describe('a tunnel', () => {
  test('ends at the requested host, and carries bytes both ways', async () => {
    const target = await listen(http.createServer((request, response) => response.end(`hello from ${request.url}`)));
    const proxy = await openProxy({ port: Number(target.port) });
    const withName = new URL(`http://us%20er:p%40ss@${proxy.url.host}`);
    const socket = await tunnel(new URL('https://api.example.com:8443/x'), withName);
    socket.write('GET /y HTTP/1.1\r\nhost: api.example.com\r\nconnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/hello from \/y/);
    const credentials = Buffer.from('us er:p@ss').toString('base64');
    expect(proxy.asked).toEqual([`CONNECT api.example.com:8443 api.example.com:8443 Basic ${credentials}`]);
  });

  test('rejected by the proxy is an error that names the proxy and no password', async () => {
    const proxy = await openProxy({ refuses: true });
    const withName = new URL(`http://user:secret@${proxy.url.host}`);
    await expect(tunnel(new URL('https://api.example.com/'), withName)).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: `The proxy ${proxy.url.host} did not connect to api.example.com:443: it returned HTTP status 407.`,
    });
  });

  test('to a missing proxy is an error too', async () => {
    await expect(tunnel(new URL('https://api.example.com/'), new URL('http://127.0.0.1:1'))).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: expect.stringMatching(
        /^The proxy 127\.0\.0\.1:1 did not connect to api\.example\.com:443: .*ECONNREFUSED/,
      ),
    });
  });
});

test('a guarded https request uses TLS inside a tunnel, and still rejects internal addresses', async () => {
  const proxy = await openProxy({});
  const fetch = createGuardedFetch({
    configuredUrl: 'https://mcp.example.com/mcp',
    env: { HTTPS_PROXY: proxy.url.href },
  });
  await expect(fetch('https://mcp.example.com/x')).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(proxy.asked).toEqual(['CONNECT mcp.example.com:443 mcp.example.com:443 -']);
  const hello = await proxy.firstBytes[0];
  expect([hello?.[0], hello?.includes('mcp.example.com')]).toEqual([22, true]);

  for (const inner of ['https://10.0.0.1/', 'https://169.254.169.254/', 'https://127.0.0.1/'])
    await expect(fetch(inner)).rejects.toMatchObject({ code: 'DENIED' });
  expect(proxy.asked).toHaveLength(1);
});

test('http requests use the full URL and the proxy credentials over one persistent connection', async () => {
  const proxy = await openProxy({});
  const target = new URL('http://upstream.example/mcp');
  const agent = createProxyAgent(target, new URL(`http://u:p@${proxy.url.host}`));
  const answers: string[] = [];
  for (const path of ['/mcp', '/mcp?x=1']) {
    const request = http.request(target, { agent, path, headers: { accept: '*/*' } }).end();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    answers.push(await text(response));
  }
  agent.destroy();
  expect(answers).toEqual(['for http://upstream.example/mcp', 'for http://upstream.example/mcp?x=1']);
  expect(proxy.asked).toEqual([
    'GET http://upstream.example/mcp upstream.example Basic dTpw',
    'GET http://upstream.example/mcp?x=1 upstream.example Basic dTpw',
  ]);
  expect(proxy.connections()).toBe(1);
});
