import { describe, expect, test } from 'vitest';
import { createHostCheck, isLoopbackHost } from './allowed-hosts.ts';

const local = createHostCheck({ host: '127.0.0.1', allowedHosts: ['Proxy.Example'] });

test.each([
  'localhost',
  'LOCALHOST:4747',
  '127.0.0.1:4747',
  '[::1]:4747',
  '[::1]',
  'proxy.example',
  'proxy.example:443',
])('a request for %s is allowed', (host) => {
  expect(local(host, undefined)).toBeUndefined();
  expect(local(host, undefined)).toBeUndefined();
});

test.each([
  ['evil.example'],
  ['evil.example:4747'],
  ['localhost.evil.example'],
  ['127.0.0.1.evil.example'],
  ['192.168.0.7:4747'],
  ['localhost:4747@evil.example'],
  ['localhost evil.example'],
  ['localhost, evil.example'],
  [''],
  [undefined],
])('a request for the host %j is refused', (host) => {
  expect(local(host, undefined)).toMatchObject({ code: 'DENIED', message: expect.stringContaining('Host') });
});

test.each([
  'http://localhost',
  'http://localhost:3000',
  'https://127.0.0.1',
  'http://[::1]:8080',
  'https://proxy.example',
])('the origin %s is allowed', (origin) => {
  expect(local('localhost', origin)).toBeUndefined();
});

test.each([
  'https://evil.example',
  'http://localhost.evil.example',
  'http://localhost@evil.example',
  'http://user:localhost@evil.example',
  'null',
  '',
  'file://',
  'localhost',
  'chrome-extension://localhost',
  'http://localhost, http://evil.example',
  'http://localhost/path',
])('the origin %j is refused', (origin) => {
  expect(local('localhost', origin)).toMatchObject({ code: 'DENIED', message: expect.stringContaining('Origin') });
});

test('an address that other machines reach may be named by number, but not by an unknown name', () => {
  const everywhere = createHostCheck({ host: '0.0.0.0', allowedHosts: [] });
  expect(everywhere('192.168.0.7:4747', undefined)).toBeUndefined();
  expect(everywhere('[fe80::1]:4747', undefined)).toBeUndefined();
  expect(everywhere('rebound.example:4747', undefined)).toMatchObject({ code: 'DENIED' });
});

test('a page from an IP address may call only that address', () => {
  const everywhere = createHostCheck({ host: '0.0.0.0', allowedHosts: [] });
  expect(everywhere('192.168.0.7:4747', 'http://192.168.0.7:3000')).toBeUndefined();
  expect(everywhere('[fe80::1]:4747', 'http://[fe80::1]')).toBeUndefined();
  expect(everywhere('192.168.0.7:4747', 'http://203.0.113.5')).toMatchObject({ code: 'DENIED' });
  expect(everywhere('localhost:4747', 'http://192.168.0.7')).toMatchObject({ code: 'DENIED' });
});

test('a server that listens on a name or an IP address accepts it as its host', () => {
  const named = createHostCheck({ host: 'Desk.example', allowedHosts: [] });
  expect(named('desk.example:4747', 'http://desk.example:4747')).toBeUndefined();
  expect(named('other.example:4747', undefined)).toMatchObject({ code: 'DENIED' });
});

describe('with a public URL', () => {
  const proxied = createHostCheck({
    ...{ host: '127.0.0.1', allowedHosts: [] },
    publicUrl: { hostname: 'mcp.example.com', origin: 'https://mcp.example.com' },
  });

  test.each([
    ['mcp.example.com', 'https://mcp.example.com'],
    ['MCP.example.com:443', 'https://MCP.example.com'],
    ['localhost:4747', 'https://mcp.example.com'],
    ['mcp.example.com', undefined],
  ])('%s from %s is allowed', (host, origin) => {
    expect(proxied(host, origin)).toBeUndefined();
  });

  test.each([
    ['mcp.example.com', 'http://mcp.example.com', 'Origin'],
    ['mcp.example.com', 'https://mcp.example.com:8443', 'Origin'],
    ['mcp.example.com', 'https://evil.example', 'Origin'],
    ['mcp.example.com', 'https://mcp.example.com.evil.example', 'Origin'],
    ['mcp.example.com.evil.example', undefined, 'Host'],
    ['192.168.0.7', undefined, 'Host'],
  ])('%s from %s is refused', (host, origin, header) => {
    expect(proxied(host, origin)).toMatchObject({ code: 'DENIED', message: expect.stringContaining(header) });
  });
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.7', false],
  ['127.0.0.1.evil.example', false],
])('the host %s is a loopback host: %j', (host, isLoopback) => {
  expect(isLoopbackHost(host)).toBe(isLoopback);
});
