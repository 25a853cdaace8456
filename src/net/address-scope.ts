import { BlockList, isIP } from 'node:net';

/**
 * Returns the scope of an IP address. An address that embeds an IPv4 address has the scope of that one, because an
 * attacker would use it that way. Only addresses that are clearly on the open internet are `public`.
 */
export function classifyAddress(address: string): AddressScope {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 0) return 'unusable';
  if (family === 4) return matchRanges(plain, 'ipv4');
  const inside = embeddedIpv4(groupsOf(plain));
  return inside === undefined ? matchRanges(plain, 'ipv6') : matchRanges(inside, 'ipv4');
}

/** `unusable`: unspecified, multicast, reserved, or not an IP address at all. */
export type AddressScope = 'public' | 'loopback' | 'private' | 'link-local' | 'unusable';

/** Returns the scope of a literal address or of a `localhost` name; undefined for a name that needs a DNS lookup. */
export function classifyHost(hostname: string): AddressScope | undefined {
  const name = normalizeHostname(hostname);
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback';
  return isIP(name.replace(/^\[|\]$/g, '')) === 0 ? undefined : classifyAddress(name);
}

/** Returns the form in which names are compared: lower case, without a final dot, which resolves to the same host. */
export function normalizeHostname(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

/** RFC 6890 and its registries. */
const RANGES: Readonly<Record<Exclude<AddressScope, 'public'>, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: [
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '100.64.0.0/10',
    'fc00::/7',
    'fec0::/10',
    '64:ff9b:1::/48',
  ],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  unusable: [
    ...['0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    ...['224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8', '100::/64', '2001:db8::/32', '2001::/32', '3fff::/20'],
  ],
};

function matchRanges(address: string, family: 'ipv4' | 'ipv6'): AddressScope {
  for (const scope of ['loopback', 'private', 'link-local', 'unusable'] as const)
    if (blockListFor(scope).check(address, family)) return scope;
  return 'public';
}

function blockListFor(scope: Exclude<AddressScope, 'public'>): BlockList {
  const list = new BlockList();
  for (const range of RANGES[scope]) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Returns the eight numbers of an IPv6 address. `URL` normalizes every spelling to a single one. */
function groupsOf(address: string): readonly number[] {
  const text = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [before = '', after] = text.split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const head = numbers(before);
  const tail = numbers(after ?? '');
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** Covers mapped, compatible and translated addresses, NAT64 (64:ff9b::/96) and 6to4 (2002::/16). */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const startsWithZeros = a + b + c + d === 0;
  const isCompatible = startsWithZeros && e + f === 0 && (g > 0 || h > 1);
  const isMapped = startsWithZeros && ((e === 0 && f === 0xffff) || (e === 0xffff && f === 0));
  const isNat64 = a === 0x64 && b === 0xff9b && c + d + e + f === 0;
  if (isCompatible || isMapped || isNat64) return ipv4Of(g, h);
  return a === 0x2002 ? ipv4Of(b, c) : undefined;
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
