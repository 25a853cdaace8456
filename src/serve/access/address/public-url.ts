import { AppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { classifyHost } from '../../../net/address-scope.ts';

/** The URL under which clients reach a server behind a reverse proxy. */
export interface PublicUrl {
  /** Without a slash at the end. */
  readonly href: string;
  /** The `Host` headers that clients send, in lower case: with the port, and without it if it is the default. */
  readonly hosts: readonly string[];
  /** The `Origin` header that browsers send. */
  readonly origin: string;
  readonly isEncrypted: boolean;
  /** Whether the URL names this machine itself. */
  readonly isLoopback: boolean;
}

/** Parses the value of `--public-url`. Throws `USAGE`. */
export function parsePublicUrl(written: string): PublicUrl {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalid(quoteIfNeeded(written), 'Write it with its scheme, as in https://mcp.example.com.');
  if (url.username !== '' || url.password !== '')
    throw invalid('a URL with a user name or password', 'Remove them: clients send a token.');
  if (url.search !== '' || url.hash !== '') throw invalid(quoteIfNeeded(written), 'Remove everything after ? or #.');
  const isEncrypted = url.protocol === 'https:';
  return {
    href: url.href.replace(/\/+$/, ''),
    hosts: url.port === '' ? [url.hostname, `${url.hostname}:${isEncrypted ? 443 : 80}`] : [url.host],
    origin: url.origin,
    isEncrypted,
    isLoopback: classifyHost(url.hostname) === 'loopback',
  };
}

function invalid(culprit: string, advice: string): AppError {
  return new AppError('USAGE', `--public-url does not accept ${culprit}. ${advice}`);
}
