import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AddressScope, classifyAddress, classifyHost, normalizeHostname } from './address-scope.ts';

const places: readonly (readonly [AddressScope, readonly string[]])[] = [
  [
    'public',
    [
      '8.8.8.8',
      '1.1.1.1',
      '172.15.0.1',
      '172.32.0.1',
      '100.63.0.1',
      '100.128.0.1',
      '169.253.1.1',
      '2606:4700::1',
      '64:ff9b::808:808',
      '2002:808:808::1',
      '::ffff:8.8.8.8',
    ],
  ],
  [
    'loopback',
    [
      '127.0.0.1',
      '127.255.255.254',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '64:ff9b::127.0.0.1',
      '2002:7f00:1::',
    ],
  ],
  [
    'private',
    [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      '100.127.255.255',
      'fc00::1',
      'fdff::1',
      'fec0::1',
      '::ffff:10.0.0.1',
      '::ffff:0:10.0.0.1',
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::1',
      '2002:a00:1::',
    ],
  ],
  ['link-local', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1', '::ffff:169.254.169.254']],
  [
    'unusable',
    [
      '0.0.0.0',
      '0.1.2.3',
      '224.0.0.1',
      '239.1.1.1',
      '255.255.255.255',
      '240.0.0.1',
      '::',
      'ff02::1',
      '192.0.2.1',
      '198.18.0.1',
      '2001::1',
      '2001:db8::1',
      'no address',
      '',
    ],
  ],
];

describe.each(places)('%s', (place, addresses) => {
  test.each(addresses)('is the scope of %s', (address) => {
    expect(classifyAddress(address)).toBe(place);
  });
});

test('an IPv4 address has the same scope in every IPv6 notation', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const carried = [`::ffff:${address}`, `0:0:0:0:0:FFFF:${hex}`, `64:ff9b::${address}`, `2002:${hex}::1`];
      expect(carried.map(classifyAddress)).toEqual(carried.map(() => classifyAddress(address)));
    }),
  );
});

test('classifies a hostname only if it is unambiguous', () => {
  expect(
    ['localhost', 'localhost.', 'x.localhost', '[::1]', '10.0.0.1', 'example.com', 'localhost.example.com'].map(
      classifyHost,
    ),
  ).toEqual(['loopback', 'loopback', 'loopback', 'loopback', 'private', undefined, undefined]);
  expect(normalizeHostname('EXAMPLE.com.')).toBe('example.com');
});
