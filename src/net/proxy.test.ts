import { expect, test } from 'vitest';
import { proxyFor } from './proxy.ts';

const HTTPS = new URL('https://api.example.com/x');
const PROXY = { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'http://plain:80' };

const cases: readonly (readonly [string, Record<string, string>, string | undefined])[] = [
  ['https://api.example.com', {}, undefined],
  ['https://api.example.com', PROXY, 'http://proxy:3128/'],
  ['http://api.example.com', PROXY, 'http://plain/'],
  ['https://api.example.com', { ...PROXY, https_proxy: 'http://small:1' }, 'http://small:1/'],
  ['https://api.example.com', { ALL_PROXY: 'proxy:3128' }, 'http://proxy:3128/'],
  ['https://api.example.com', { HTTPS_PROXY: '', all_proxy: 'https://p' }, 'https://p/'],
  ['http://127.0.0.1:80', PROXY, undefined],
  ['http://localhost', PROXY, undefined],
  ['https://[::1]', PROXY, undefined],
  ['https://api.example.com', { ...PROXY, NO_PROXY: '*' }, undefined],
  ['https://api.example.com', { ...PROXY, NO_PROXY: 'example.com' }, undefined],
  ['https://api.example.com', { ...PROXY, NO_PROXY: '.example.com' }, undefined],
  ['https://api.example.com', { ...PROXY, NO_PROXY: '*.Example.COM.' }, undefined],
  ['https://api.example.com', { ...PROXY, no_proxy: 'a, api.example.com:443' }, undefined],
  ['https://api.example.com', { ...PROXY, no_proxy: 'api.example.com:444 other' }, 'http://proxy:3128/'],
  ['https://badexample.com', { ...PROXY, NO_PROXY: 'example.com' }, 'http://proxy:3128/'],
  ['https://10.0.0.1', { ...PROXY, NO_PROXY: '10.0.0.1' }, undefined],
  ['https://[fd00::1]', { ...PROXY, NO_PROXY: '[fd00::1]' }, undefined],
  ['https://[fd00::1]', { ...PROXY, NO_PROXY: 'fd00::1' }, undefined],
  ['https://api.example.com', { ...PROXY, NO_PROXY: ',, :443' }, 'http://proxy:3128/'],
];
test.each(cases)('%s with %j uses the proxy %s', (url, env, expected) => {
  expect(proxyFor(new URL(url), env)?.href).toBe(expected);
});

test('names the proxy scheme once, and never a secret', () => {
  expect(() => proxyFor(HTTPS, { HTTPS_PROXY: 'socks5://p:1' })).toThrow(
    / has the unsupported scheme socks5: set it to /,
  );
  expect(() => proxyFor(HTTPS, { HTTPS_PROXY: 'http://u:p%ss@p:1' })).toThrow(
    'The proxy in the variable HTTPS_PROXY has a % in its user name or password that must be written %25',
  );
});

test.each([
  ['socks5://p:1', 'has the unsupported scheme socks5:'],
  ['ht tp://x', 'is not a URL:'],
])('names the variable of an unusable proxy: %s', (value, why) => {
  expect(() => proxyFor(HTTPS, { HTTPS_PROXY: value })).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`The proxy in the variable HTTPS_PROXY ${why}`),
    }),
  );
});
