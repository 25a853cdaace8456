import { AppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import {
  DEFAULT_ADDRESS,
  formatAddress,
  isLoopback,
  type ListenAddress,
  parseListenAddress,
} from './listen-address.ts';
import { type PublicUrl, parsePublicUrl } from './public-url.ts';

/** The options of an HTTP server as written on the command line. Undefined: not given. */
export interface HttpOptions {
  /** The value of `--http`. Undefined is the default address. */
  readonly http: string | undefined;
  readonly auth: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly publicUrl: string | undefined;
}

export interface HttpPlan {
  readonly address: ListenAddress;
  readonly auth: 'token' | 'none';
  /** The paths of the certificate and its key. Undefined serves plain HTTP. */
  readonly tls: TlsPaths | undefined;
  readonly publicUrl: PublicUrl | undefined;
  /** Whether others than this machine can connect, directly or through a proxy. */
  readonly isExposed: boolean;
  /** Sentences to display. */
  readonly warnings: readonly string[];
}

export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
}

/** Decides whether these options are safe together. Throws `USAGE` with the next step if they are not. */
export function planHttp({ http, auth: writtenAuth, tlsCert, tlsKey, publicUrl: writtenUrl }: HttpOptions): HttpPlan {
  const address = http === undefined ? DEFAULT_ADDRESS : parseListenAddress(http);
  const auth = parseAuth(writtenAuth);
  const tls = parseTls(tlsCert, tlsKey);
  const publicUrl = writtenUrl === undefined ? undefined : parsePublicUrl(writtenUrl);
  const isOpenAddress = !isLoopback(address.host);
  const isProxied = publicUrl !== undefined && !publicUrl.isLoopback;
  if (auth === 'none' && isOpenAddress) throw openWithoutAuth(address);
  if (auth === 'none' && isProxied)
    throw new AppError(
      'USAGE',
      `--auth none is not possible with --public-url ${publicUrl.href}: everybody who reaches that URL could use your servers. Remove --auth none, or remove --public-url.`,
    );
  // With an https URL, the proxy encrypts. In a container, it needs an address other than loopback to reach the server.
  const isEncrypted = tls !== undefined || publicUrl?.isEncrypted === true;
  const warnings = [
    ...(isOpenAddress && !isEncrypted ? [unencryptedAddress(address)] : []),
    ...(isProxied && !publicUrl.isEncrypted ? [unencryptedUrl(publicUrl)] : []),
  ];
  return { address, auth, tls, publicUrl, isExposed: isOpenAddress || isProxied, warnings };
}

function parseAuth(written: string | undefined): HttpPlan['auth'] {
  if (written === undefined || written === 'token') return 'token';
  if (written === 'none') return 'none';
  throw new AppError('USAGE', `--auth must be token or none, not ${quoteIfNeeded(written)}.`);
}

function parseTls(cert: string | undefined, key: string | undefined): TlsPaths | undefined {
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  const [given, missing] = cert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
  const content = cert === undefined ? 'the certificate' : 'the private key of the certificate';
  throw new AppError('USAGE', `${given} needs ${missing} too. Add ${missing} <file> with ${content}.`);
}

function openWithoutAuth(address: ListenAddress): AppError {
  const { port } = address;
  return new AppError(
    'USAGE',
    `--auth none is possible only on this machine's own address, but --http is ${formatAddress(address)}: everybody on the network could use your servers. Remove --auth none, or listen on ${formatAddress({ ...DEFAULT_ADDRESS, port })}.`,
  );
}

function unencryptedAddress(address: ListenAddress): string {
  return `Clients on other machines connect to ${formatAddress(address)} without encryption, so others on the network can read tokens and messages. Add --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy and pass its URL with --public-url.`;
}

function unencryptedUrl({ href }: PublicUrl): string {
  return `${href} is not encrypted, so others on the network can read tokens and messages. Use https:// unless the network itself encrypts, such as a VPN.`;
}
