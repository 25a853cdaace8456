import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/property-runs.ts';
import { formatAddress, isLoopback, parseListenAddress } from './listen-address.ts';

test.each([
  ['4747', '127.0.0.1', 4747],
  ['0', '127.0.0.1', 0],
  ['65535', '127.0.0.1', 65_535],
  ['127.0.0.1:8080', '127.0.0.1', 8080],
  ['localhost:8080', '127.0.0.1', 8080],
  ['LOCALHOST:8080', '127.0.0.1', 8080],
  ['0.0.0.0:0', '0.0.0.0', 0],
  ['[::1]:4747', '::1', 4747],
  ['[::]:4747', '::', 4747],
  ['[fe80::1%eth0]:4747', 'fe80::1%eth0', 4747],
  ['my-host.example.com:4747', 'my-host.example.com', 4747],
])('%s listens on %s port %i', (written, host, port) => {
  expect(parseListenAddress(written)).toEqual({ host, port });
});

test.each([
  ['', 'A port is a number from 0 to 65535'],
  ['65536', 'A port is a number from 0 to 65535'],
  ['99999999', 'A port is a number from 0 to 65535'],
  ['127.0.0.1:', 'A port is a number from 0 to 65535'],
  ['127.0.0.1:http', 'A port is a number from 0 to 65535'],
  ['127.0.0.1:-1', 'A port is a number from 0 to 65535'],
  ['127.0.0.1:4747 ', 'A port is a number from 0 to 65535'],
  ['127.0.0.1', 'The port is missing: write 127.0.0.1:4747.'],
  ['localhost', 'The port is missing: write localhost:4747.'],
  [':4747', 'Write 0.0.0.0:4747 for every address of this machine, or 4747 for this machine only.'],
  ['*:4747', 'or 4747 for this machine only.'],
  ['::1', 'Write the address in brackets, and the port: [::1]:4747.'],
  ['::1:4747', 'Write the address in brackets'],
  ['[::1]', 'The port is missing: write [::1]:4747.'],
  ['[::1]:', 'A port is a number'],
  ['[localhost]:1', 'Brackets contain an IPv6 address'],
  ['[127.0.0.1]:1', 'Brackets contain an IPv6 address'],
  ['http://127.0.0.1:4747', 'Write it without http://'],
  ['a b:4747', 'Write a host and a port'],
  ['evil\u001b[31m:4747', 'Write a host and a port'],
  ['user@host:4747', 'Write a host and a port'],
  ['/tmp/socket:1', 'Write a host and a port'],
])('%j is refused with the next step', (written, advice) => {
  expect(() => parseListenAddress(written)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(advice) }),
  );
});

test.each([
  ['127.0.0.1', true],
  ['127.9.8.7', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.5', false],
  ['100.64.0.1', false],
  ['fe80::1%lo', false],
  // Names may lead anywhere, and so may other spellings of an address.
  ['localhost', false],
  ['x.localhost', false],
  ['127.1', false],
  ['0x7f.1', false],
])('only this machine reaches %s: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test('every accepted address is the same when it is written and parsed again', () => {
  const host = fc.oneof(
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.domain(),
  );
  fc.assert(
    fc.property(host, fc.nat(65_535), (name, port) => {
      const parsed = parseListenAddress(`${name}:${port}`);
      expect(parseListenAddress(formatAddress(parsed))).toEqual(parsed);
    }),
    propertyRuns(200),
  );
});

test('no text makes it throw anything but a usage error', () => {
  fc.assert(
    fc.property(fc.string(), (written) => {
      try {
        expect(parseListenAddress(written).port).toBeLessThanOrEqual(65_535);
      } catch (error) {
        expect(error).toMatchObject({ code: 'USAGE' });
      }
    }),
    propertyRuns(500),
  );
});
