import { isIP } from 'node:net';
import { AppError } from '../../../base/errors.ts';

export interface AllowedHostsOptions {
  /** The address that the front listens on. */
  readonly host: string;
  /** Further host names, for `Host` and `Origin`. */
  readonly allowedHosts: readonly string[];
  /** The URL of a reverse proxy: allows its host name in `Host`, and its origin in `Origin`. */
  readonly publicUrl?: PublicAddress | undefined;
}

export interface PublicAddress {
  /** In lower case, without a port and without the brackets of IPv6. */
  readonly hostname: string;
  /** Scheme, name and port, as browsers write them. */
  readonly origin: string;
}

/** Returns why a request is refused, or undefined if its `Host` and `Origin` are allowed. */
export type HostCheck = (host: string | undefined, origin: string | undefined) => AppError | undefined;

/**
 * Creates the check against DNS rebinding, where a web page reaches the front under its own host name. Ports are not
 * compared, because a port may be forwarded. Except on a loopback address, every IP address is allowed in `Host`,
 * because DNS is not involved. A page from an IP address may call only that address.
 */
export function createHostCheck({ host, allowedHosts, publicUrl }: AllowedHostsOptions): HostCheck {
  const names = new Set([...LOOPBACK_NAMES, host, ...allowedHosts].map((name) => name.toLowerCase()));
  const allowsAnyIp = !isLoopbackHost(host);
  const isAllowedIp = (name: string) => allowsAnyIp && isIP(name) !== 0;
  const isAllowedHost = (name: string | undefined) =>
    name !== undefined && (names.has(name) || name === publicUrl?.hostname || isAllowedIp(name));
  const isAllowedOrigin = (origin: string, hostHeader: string | undefined) => {
    if (origin.toLowerCase() === publicUrl?.origin) return true;
    const name = originName(origin);
    return name !== undefined && (names.has(name) || (isAllowedIp(name) && name === hostName(hostHeader)));
  };
  /** Clients repeat the same few values. */
  const known = new Set<string>();

  return (hostHeader, origin) => {
    if (hostHeader === undefined || !known.has(hostHeader)) {
      if (!isAllowedHost(hostName(hostHeader))) return refused('Host', hostHeader);
      if (hostHeader !== undefined && known.size < MAX_KNOWN) known.add(hostHeader);
    }
    return origin === undefined || isAllowedOrigin(origin, hostHeader) ? undefined : refused('Origin', origin);
  };
}

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_NAMES.includes(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];
const MAX_KNOWN = 64;

/** Returns the name in a `Host` header without the port and without the brackets of an IPv6 address. */
function hostName(header: string | undefined): string | undefined {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(header ?? '') ?? [];
  return (bracketed ?? plain)?.toLowerCase();
}

function originName(origin: string): string | undefined {
  const [, authority] = /^https?:\/\/([^/?#@\s]+)$/i.exec(origin) ?? [];
  return hostName(authority);
}

function refused(header: string, value: string | undefined): AppError {
  return new AppError(
    'DENIED',
    `The ${header} header ${JSON.stringify(value ?? '')} is not allowed here. ` +
      'Use the address that the server printed. Behind a reverse proxy, add its host name with --public-url.',
  );
}
