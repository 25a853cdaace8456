import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { statusOf } from '../gateway/server-status.ts';
import { at, httpHarness, textOf } from './harness.ts';

const { openGateway, openFixture } = httpHarness();
/** This host does not exist, so it is reachable only through the proxy. */
const HOST = 'mcp.switchboard-test.invalid';
const FAR = `http://${HOST}/mcp`;

const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly host: string | undefined;
  readonly proxyAuthorization: string | undefined;
}

/** A real proxy that forwards everything to the only server. */
async function openProxy(target: string): Promise<{ readonly url: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    asked.push({ method, url, host: headers.host, proxyAuthorization: headers['proxy-authorization'] });
    const { pathname, search } = new URL(url, 'http://relative.invalid');
    const onward = httpRequest({ hostname, port, method, path: pathname + search, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  opened.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('a proxy from the environment', () => {
  test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('in %s is used for the server', async (name) => {
    const server = await openFixture('well-behaved', '--answers', 'sse');
    const proxy = await openProxy(server.url);
    const far = at(FAR, { headers: { 'X-Team': 'blue' } });
    const { connect } = openGateway({ far }, { env: { [name]: proxy.url } });
    const client = await connect();
    expect(textOf(await client.call('far__echo', { text: 'through' }))).toBe('through');
    expect(JSON.parse(textOf(await client.call('far__headers')))).toMatchObject({ host: HOST, 'x-team': 'blue' });
    expect(new Set(proxy.asked.map(({ url, host }) => `${url} for ${host}`))).toEqual(new Set([`${FAR} for ${HOST}`]));
    expect(proxy.asked.map(({ method }) => method)).toContain('GET');
  });

  test('gets the credentials from its URL', async () => {
    const server = await openFixture('well-behaved');
    const proxy = await openProxy(server.url);
    const { connect } = openGateway(
      { far: at(FAR) },
      { env: { HTTP_PROXY: proxy.url.replace('http://', 'http://me:secret@') } },
    );
    const client = await connect();
    expect(textOf(await client.call('far__echo', { text: 'through' }))).toBe('through');
    const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(new Set(proxy.asked.map(({ proxyAuthorization }) => proxyAuthorization))).toEqual(new Set([authorization]));
  });

  test('is bypassed for hosts in NO_PROXY', async () => {
    const server = await openFixture('well-behaved');
    const proxy = await openProxy(server.url);
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: 'example.com, .switchboard-test.invalid' };
    const client = await openGateway({ far: at(FAR) }, { env }).connect();
    expect((await client.call('far__echo')).error?.message).toContain(HOST);
    expect(proxy.asked).toEqual([]);
  });

  test('is bypassed for this machine', async () => {
    const server = await openFixture('well-behaved');
    const proxy = await openProxy(server.url);
    const client = await openGateway({ far: at(server.url) }, { env: { HTTP_PROXY: proxy.url } }).connect();
    expect(textOf(await client.call('far__echo', { text: 'direct' }))).toBe('direct');
    expect(proxy.asked).toEqual([]);
  });

  test('that is unreachable is named in the error', async () => {
    const { connect, gateway } = openGateway({ far: at(FAR) }, { env: { HTTP_PROXY: 'http://127.0.0.1:9' } });
    const client = await connect();
    expect((await client.call('far__echo')).error?.message).toMatch(/127\.0\.0\.1:9|proxy/);
    expect(statusOf(gateway, 'far').state).toBe('error');
  });

  test('of an unsupported kind is a settings error', async () => {
    const client = await openGateway({ far: at(FAR) }, { env: { HTTP_PROXY: 'socks5://127.0.0.1:9' } }).connect();
    expect((await client.call('far__echo')).error?.message).toContain(
      'The proxy in the variable HTTP_PROXY has the unsupported scheme socks5: set it to http://host:port, or name the host in NO_PROXY.',
    );
  });
});
