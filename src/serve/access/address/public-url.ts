import { AppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { classifyHost } from '../../../net/address-scope.ts';

/** The URL under which clients reach a server behind a reverse proxy. */
export interface PublicUrl {
  /** Without a slash at the end. */
  readonly href: string;
  /** The name in the `Host` header of clients, in lower case, without a port and without the brackets of IPv6. */
  readonly hostname: string;
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
  return {
    href: url.href.replace(/\/+$/, ''),
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    origin: url.origin,
    isEncrypted: url.protocol === 'https:',
    isLoopback: classifyHost(url.hostname) === 'loopback',
  };
}

function invalid(culprit: string, advice: string): AppError {
  return new AppError('USAGE', `--public-url does not accept ${culprit}. ${advice}`);
}
