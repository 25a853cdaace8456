import { expect, test } from 'vitest';
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
