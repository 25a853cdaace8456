import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { classifyAddress } from '../../src/net/address-scope.ts';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Answers each path as configured, and other paths with 404. */
async function listen(
  pages: Readonly<Record<string, (origin: string) => readonly [number, Record<string, string>, string]>>,
) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.cookie ?? ''}`.trim());
    const [status, headers, body] = pages[request.url ?? '']?.(origin) ?? [404, {}, ''];
    response.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, seen };
}

const inside = [
  'http://169.254.169.254/latest/meta-data/',
  'https://169.254.169.254/',
  'https://10.1.2.3/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[64:ff9b::a00:1]/',
  'https://[2002:a00:1::]/',
  'https://0.0.0.0/',
  'http://10.0.0.1/',
  'http://example.com/',
  'https://user:pass@example.com/',
  'ftp://example.com/',
  'http://[not-an-address',
];

describe('a redirect to', () => {
  test.each(inside)('%s is rejected without a request', async (target) => {
    const { origin, seen } = await listen({ '/': () => [302, { location: target }, ''] });
    const fetch = createGuardedFetch({ configuredUrl: `${origin}/mcp`, env: {}, timeoutMs: 30_000 });
    await expect(fetch(`${origin}/`)).rejects.toMatchObject({ code: 'DENIED' });
    expect(seen).toEqual(['GET /']);
  });
});

describe('for a server on the internet', () => {
  const spellings = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '１２７.0.0.1',
    '127。0。0。1',
  ];
  test.each(spellings)('this machine is unreachable as %s', async (host) => {
    const { origin, seen } = await listen({ '/': () => [200, {}, 'secret'] });
    const fetch = createGuardedFetch({ configuredUrl: 'https://mcp.example.com/mcp', env: {} });
    const { port } = new URL(origin);
    for (const scheme of ['http', 'https'])
      await expect(fetch(`${scheme}://${host}:${port}/`)).rejects.toMatchObject({
        code: 'DENIED',
        message: expect.stringMatching(/it is on this machine, but the configured server mcp\.example\.com is not/),
      });
    expect(seen).toEqual([]);
  });

  const found = lookup(hostname()).then(
    ({ address }) => address,
    () => undefined,
  );
  test('does not connect to a name that resolves to an internal address', async (context) => {
    const address = await found;
    if (address === undefined || classifyAddress(address) === 'public')
      return context.skip('this machine has no inner name');
    const fetch = createGuardedFetch({ configuredUrl: 'https://mcp.example.com/mcp', env: {} });
    await expect(fetch(`https://${hostname()}:1/`)).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringMatching(new RegExp(`^Refused to use the URL ${hostname().toLowerCase()} \\(`)),
    });
    const itself = createGuardedFetch({ configuredUrl: `https://${hostname()}/mcp`, env: {} });
    await expect(itself(`https://${hostname()}:1/`)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  });
});

describe('an answer', () => {
  test('is a Response without cookies, after one allowed redirect', async () => {
    const { origin, seen } = await listen({
      '/a': () => [302, { location: '/b', 'set-cookie': 'a=1' }, ''],
      '/b': () => [200, { 'content-type': 'application/json', 'set-cookie': 'b=2' }, '{"a":1}'],
    });
    const fetch = createGuardedFetch({ configuredUrl: origin, env: {} });
    const response = await fetch(`${origin}/a`);
    expect([response.status, response.headers.get('set-cookie'), await response.json()]).toEqual([200, null, { a: 1 }]);
    expect(seen).toEqual(['GET /a', 'GET /b']);
  });

  test('that redirects forever, or redirects another method than GET, is rejected', async () => {
    const { origin, seen } = await listen({ '/': () => [307, { location: '/' }, ''] });
    const fetch = createGuardedFetch({ configuredUrl: origin, env: {} });
    await expect(fetch(`${origin}/`)).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('more than 3 times'),
    });
    expect(seen).toHaveLength(4);
    await expect(fetch(`${origin}/`, { method: 'POST', body: 'code=secret' })).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining(`it redirects a POST to ${origin}/, which is not followed`),
    });
    expect(seen).toHaveLength(5);
  });

  test('that redirects a POST is followed if enabled, within the origin and unchanged', async () => {
    const { origin, seen } = await listen({
      '/mcp': () => [307, { location: '/mcp/' }, ''],
      '/mcp/': () => [401, {}, 'who?'],
      '/other': () => [308, { location: 'https://other.example.com/mcp?key=geheim' }, ''],
      '/found': () => [302, { location: '/mcp/' }, ''],
      '/': () => [308, { location: '/' }, ''],
    });
    const fetch = createGuardedFetch({ configuredUrl: origin, env: {} });
    const post = (path: string) => fetch(`${origin}${path}`, { method: 'POST', body: '{}', followsWithinOrigin: true });
    expect((await post('/mcp')).status).toBe(401);
    expect(seen).toEqual(['POST /mcp', 'POST /mcp/']);
    await expect(post('/other')).rejects.toThrow(
      /at \/other: it redirects a POST to https:\/\/other\.example\.com\/mcp, which is not followed\.$/,
    );
    await expect(post('/found')).rejects.toThrow('which is not followed');
    await expect(post('/')).rejects.toThrow('more than 3 times');
  });

  test('that is too large, too late, truncated or aborted is a specific error', async () => {
    const { origin } = await listen({
      '/large': () => [200, {}, 'x'.repeat(2000)],
      '/cut': () => [200, { 'content-length': '10', connection: 'close' }, 'x'],
    });
    const fetch = createGuardedFetch({ configuredUrl: origin, env: {}, maxBytes: 1000 });
    const shortTimeout = createGuardedFetch({ configuredUrl: origin, env: {}, timeoutMs: 300 });
    await expect(fetch(`${origin}/large`)).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
    await expect(fetch(`${origin}/cut`)).rejects.toMatchObject({
      code: expect.stringMatching(/CONNECTION_CLOSED|TIMED_OUT/),
    });
    const never = createServer(() => undefined).listen(0, '127.0.0.1');
    servers.push(never);
    await once(never, 'listening');
    const silent = `http://127.0.0.1:${(never.address() as AddressInfo).port}/`;
    await expect(shortTimeout(silent)).rejects.toMatchObject({
      code: 'TIMED_OUT',
      message: expect.stringContaining('within 0.3 s'),
    });
    await expect(fetch(silent, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
    never.close().closeAllConnections();
    await once(never, 'close').catch(() => undefined);
    await expect(fetch(silent)).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+: nothing answers at this address \(ECONNREFUSED\)\.$/),
    });
  });
});
