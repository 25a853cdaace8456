import { isIP } from 'node:net';
import { AppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { classifyAddress } from '../../../net/address-scope.ts';

/** Where an HTTP server listens. */
export interface ListenAddress {
  /** An IP address without brackets, or a name. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

export const DEFAULT_ADDRESS: ListenAddress = { host: '127.0.0.1', port: 4747 };

/** Parses the value of `--http`: `[host:]port`. Throws `USAGE`. */
export function parseListenAddress(written: string): ListenAddress {
  if (isIP(written) === 6) throw invalid(written, `Write the address in brackets, and the port: [${written}]:4747.`);
  if (isHost(written)) throw invalid(written, `The port is missing: write ${written}:4747.`);
  const [, host, digits = ''] = /^(?:(.*):)?([^:]*)$/s.exec(written) ?? [];
  const address = host === undefined ? DEFAULT_ADDRESS.host : parseHost(host, written);
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : Number.NaN;
  if (port <= MAX_PORT) return { host: address, port };
  throw invalid(written, `A port is a number from 0 to ${MAX_PORT}; 0 lets the system choose one.`);
}

/** Returns whether only this machine can connect to this host. A name other than `localhost` may lead anywhere. */
export function isLoopback(host: string): boolean {
  return isIP(host) !== 0 && classifyAddress(host) === 'loopback';
}

/** Formats `host:port`, as in a URL. */
export function formatAddress({ host, port }: ListenAddress): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

const MAX_PORT = 65_535;

/** Returns whether a text is a host that cannot be a port. */
function isHost(text: string): boolean {
  return (NAME.test(text) && !/^\d+$/.test(text)) || ipv6In(text) !== undefined;
}

const NAME = /^(?=.{1,253}$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?)*\.?$/i;

/** Returns the IPv6 address in brackets. */
function ipv6In(text: string): string | undefined {
  const [, address = ''] = /^\[(.*)\]$/s.exec(text) ?? [];
  return isIP(address) === 6 ? address : undefined;
}

function parseHost(host: string, written: string): string {
  if (host.startsWith('[')) {
    const address = ipv6In(host);
    if (address !== undefined) return address;
    throw invalid(written, 'Brackets contain an IPv6 address, as in [::1]:4747.');
  }
  if (host === '' || host === '*')
    throw invalid(written, 'Write 0.0.0.0:4747 for every address of this machine, or 4747 for this machine only.');
  if (host.includes('://')) throw invalid(written, 'Write it without http://, as in 127.0.0.1:4747.');
  if (isIP(host) === 6) throw invalid(written, `Write the address in brackets: [${host}]:4747.`);
  if (!NAME.test(host)) throw invalid(written, 'Write a host and a port, as in 127.0.0.1:4747.');
  // The hosts file decides what this name means, and it might not be this machine.
  return host.toLowerCase() === 'localhost' ? DEFAULT_ADDRESS.host : host;
}

function invalid(written: string, advice: string): AppError {
  return new AppError('USAGE', `--http cannot listen on ${quoteIfNeeded(written)}. ${advice}`);
}
