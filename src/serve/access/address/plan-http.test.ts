import { expect, test } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { type HttpOptions, planHttp } from './plan-http.ts';

const NONE: HttpOptions = {
  http: undefined,
  auth: undefined,
  tlsCert: undefined,
  tlsKey: undefined,
  publicUrl: undefined,
};
const plan = (options: Partial<HttpOptions>) => planHttp({ ...NONE, ...options });

test('without options, the server listens on this machine with tokens', () => {
  expect(plan({})).toEqual({
    address: { host: '127.0.0.1', port: 4747 },
    ...{ auth: 'token', tls: undefined, publicUrl: undefined, isExposed: false, warnings: [] },
  });
});

test.each<[Partial<HttpOptions>]>([
  [{ auth: 'none' }],
  [{ auth: 'none', http: 'localhost:0' }],
  [{ auth: 'none', http: '[::1]:4747' }],
  [{ auth: 'none', publicUrl: 'http://localhost:8080' }],
])('%j needs no token, because only this machine can connect', (options) => {
  expect(plan(options)).toMatchObject({ auth: 'none', isExposed: false, warnings: [] });
});

test.each<[Partial<HttpOptions>, string]>([
  [
    { auth: 'none', http: '0.0.0.0:8080' },
    "--auth none is possible only on this machine's own address, but --http is 0.0.0.0:8080: everybody on the network could use your servers. Remove --auth none, or listen on 127.0.0.1:8080.",
  ],
  [{ auth: 'none', http: '[::]:1' }, '--http is [::]:1'],
  [{ auth: 'none', http: '192.168.1.5:1' }, '--http is 192.168.1.5:1'],
  [{ auth: 'none', http: 'my-host:1' }, '--http is my-host:1'],
  [{ auth: 'none', http: '0.0.0.0:1', tlsCert: 'c', tlsKey: 'k' }, '--http is 0.0.0.0:1'],
  [{ auth: 'none', publicUrl: 'https://mcp.example.com/' }, 'Remove --auth none, or remove --public-url.'],
  [{ auth: 'off' }, '--auth must be token or none, not off.'],
  [{ auth: '' }, '--auth must be token or none'],
  [{ tlsCert: 'cert.pem' }, '--tls-cert needs --tls-key too. Add --tls-key <file> with the private key'],
  [{ tlsKey: 'key.pem' }, '--tls-key needs --tls-cert too. Add --tls-cert <file> with the certificate.'],
  [{ http: 'nonsense' }, 'The port is missing'],
  [{ publicUrl: 'nonsense' }, '--public-url does not accept nonsense'],
])('%j is refused with the next step', (options, message) => {
  expect(() => plan(options)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
  );
});

test.each<[Partial<HttpOptions>, readonly unknown[]]>([
  [
    { http: '0.0.0.0:4747' },
    [expect.stringMatching(/0\.0\.0\.0:4747 without encryption.*Add --tls-cert and --tls-key/)],
  ],
  [{ http: '0.0.0.0:4747', publicUrl: 'https://mcp.example.com' }, []],
  [
    { http: '0.0.0.0:4747', publicUrl: 'http://mcp.example.com' },
    [expect.stringContaining('without encryption'), expect.stringContaining('is not encrypted')],
  ],
  [{ http: '0.0.0.0:4747', tlsCert: 'c', tlsKey: 'k' }, []],
  [{ publicUrl: 'https://mcp.example.com' }, []],
  [
    { publicUrl: 'http://desk.tail1234.ts.net' },
    [expect.stringContaining('http://desk.tail1234.ts.net is not encrypted')],
  ],
])('%j lets others connect, with tokens', (options, warnings) => {
  expect(plan(options)).toMatchObject({ auth: 'token', isExposed: true, warnings });
});

verifies('token:none:loopback', 'no address that others may reach goes without tokens', () => {
  for (const http of [
    '0.0.0.0:1',
    '[::]:1',
    '10.0.0.1:1',
    '[fe80::1%eth0]:1',
    '[::ffff:10.0.0.1]:1',
    'x.localhost:1',
    '127.1:1',
  ])
    expect(() => plan({ auth: 'none', http })).toThrow('Remove --auth none, or listen on 127.0.0.1:1.');
});
