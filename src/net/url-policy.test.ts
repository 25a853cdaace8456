import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyAddress } from './address-scope.ts';
import { checkResolvedAddress, checkUrl } from './url-policy.ts';

const PUBLIC = 'https://mcp.example.com/mcp';
const allowed: readonly (readonly [string, string])[] = [
  ['https://as.example.org/authorize?a=1', PUBLIC],
  ['https://8.8.8.8/', PUBLIC],
  ['http://127.0.0.1:1234/x', 'http://127.0.0.1:3000/mcp'],
  ['http://localhost:1234/x', 'http://127.0.0.1:3000/mcp'],
  ['http://[::1]:1234/x', 'http://localhost:3000/mcp'],
  ['https://192.168.1.5:9000/x', 'https://192.168.1.5/mcp'],
  ['https://169.254.7.7/x', 'https://169.254.7.7/mcp'],
];
test.each(allowed)('%s is allowed for %s', (url, configured) => {
  expect(checkUrl(url, configured).href).toBe(url);
});

const refused: readonly (readonly [string, string, string])[] = [
  ['http://as.example.org/', PUBLIC, 'others can read http; a sign-in requires https'],
  ['http://192.168.1.5/', 'http://192.168.1.5/mcp', 'others can read http; a sign-in requires https'],
  ['https://192.168.1.6/', 'https://192.168.1.5/mcp', 'it is in a private network'],
  ['https://192.168.1.5/', PUBLIC, 'it is in a private network'],
  ['https://100.100.100.200/', PUBLIC, 'it is in a private network'],
  ['https://169.254.169.254/', 'http://127.0.0.1/mcp', 'it is a link-local address'],
  ['https://10.0.0.1/', 'http://127.0.0.1/mcp', 'it is in a private network'],
  ['https://127.0.0.1/', 'https://192.168.1.5/mcp', 'it is on this machine'],
  ['https://255.255.255.255/', 'https://255.255.255.255/', 'it is a reserved address'],
  ['https://u:p@as.example.org/', PUBLIC, 'it contains a user name or a password'],
  ['file:///etc/passwd', PUBLIC, 'only https URLs are allowed, not file:'],
  ['nonsense', PUBLIC, 'it is not a URL'],
  ['', PUBLIC, 'it is not a URL'],
];
test.each(refused)('%s is rejected for %s', (url, configured, why) => {
  expect(() => checkUrl(url, configured)).toThrow(
    expect.objectContaining({ code: 'DENIED', message: expect.stringContaining(why) }),
  );
});

test('an error repeats no password, no query and no control characters', () => {
  const url = 'http://user:secret@as.example.org/\u001b[31mred?code=secret#secret';
  const message = refusalOf(() => checkUrl(url, PUBLIC));
  expect(message).toBe('Refused to use the URL http://…@as.example.org/red: it contains a user name or a password.');
});

describe('a resolved address', () => {
  test('is checked like a literal address', () => {
    checkResolvedAddress('93.184.216.34', 'as.example.org', PUBLIC);
    expect(refusalOf(() => checkResolvedAddress('10.0.0.7', 'as.example.org', PUBLIC))).toBe(
      'Refused to use the URL as.example.org (10.0.0.7): it is in a private network, but the configured server mcp.example.com is not.',
    );
  });

  test('may be internal if the host is the configured one', () => {
    checkResolvedAddress('10.0.0.7', 'mcp.corp.example', 'https://MCP.corp.example./mcp');
    checkResolvedAddress('127.0.1.1', 'mybox', 'https://mybox/mcp');
    expect(
      refusalOf(() => checkResolvedAddress('10.0.0.7', 'other.corp.example', 'https://mcp.corp.example/mcp')),
    ).toMatch(/it is in a private network/);
  });
});

test('checks an IPv4 address alike in every notation that a connection accepts', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      const octal = [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.');
      const spellings = [
        `${a}.${b}.${c}.${d}`,
        `${number}`,
        `0x${number.toString(16)}`,
        octal,
        `${a}.${b * 65536 + c * 256 + d}`,
      ];
      const hosts = [...spellings, `${a}.${b}.${c}.${d}.`, `[::ffff:${a}.${b}.${c}.${d}]`];
      const isPublic = classifyAddress(`${a}.${b}.${c}.${d}`) === 'public';
      const verdicts = hosts.map((host) => refusalOf(() => checkUrl(`https://${host}/`, PUBLIC)) === 'not refused');
      expect(verdicts).toEqual(hosts.map(() => isPublic));
    }),
  );
});

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'not refused';
}

test('rejects a URL over the length limit, and truncates it in the error', () => {
  const error = () => checkUrl(`https://as.example.org/${'x'.repeat(200_000)}`, PUBLIC);
  expect(error).toThrow(
    /^Refused to use the URL https:\/\/as\.example\.org\/x{100,200}.{0,9}: it is longer than 8192 characters\.$/,
  );
});
