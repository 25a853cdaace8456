import { AppError } from '../base/errors.ts';
import { oneLine } from '../base/text/safe-text.ts';
import { type AddressScope, classifyAddress, classifyHost, normalizeHostname } from './address-scope.ts';

/**
 * Checks that an untrusted URL may be requested or opened in a browser: https, or http on loopback; no user name or
 * password; and no address inside a network that the configured URL is not in itself. A name is resolved only when the
 * connection is made: see `checkResolvedAddress`.
 */
export function checkUrl(url: string, configuredUrl: string): URL {
  if (url.length > MAX_LENGTH) throw refusal(url, `it is longer than ${MAX_LENGTH} characters`);
  const parsed = parse(url);
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')
    throw refusal(url, `only https URLs are allowed, not ${oneLine(parsed.protocol, 40)}`);
  if (parsed.username !== '' || parsed.password !== '') throw refusal(url, 'it contains a user name or a password');
  if (parsed.hostname === '') throw refusal(url, 'it has no host');
  const scope = classifyHost(parsed.hostname);
  if (isInsecureHttp(parsed))
    throw refusal(url, 'others can read http; a sign-in requires https, except on this machine');
  if (scope !== undefined) assertAllowed({ scope, hostname: parsed.hostname, configuredUrl, displayed: url });
  return parsed;
}

/** Checks in the same way the address that a name resolved to, when the connection is made. */
export function checkResolvedAddress(address: string, hostname: string, configuredUrl: string): void {
  const displayed = `${hostname} (${address})`;
  assertAllowed({ scope: classifyAddress(address), hostname, configuredUrl, displayed });
}

/** Returns whether a URL is http to another machine, which must never get any part of a sign-in. */
export function isInsecureHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && classifyHost(hostname) !== 'loopback';
}

/** All browsers and command lines accept this length. */
const MAX_LENGTH = 8192;

interface AddressCheck {
  readonly scope: AddressScope;
  readonly hostname: string;
  readonly configuredUrl: string;
  readonly displayed: string;
}

function assertAllowed({ scope, hostname, configuredUrl, displayed }: AddressCheck): void {
  if (scope === 'public') return;
  const configured = hostOf(configuredUrl);
  if (configured !== undefined) {
    if (scope !== 'unusable' && normalizeHostname(hostname) === configured) return;
    if (scope === 'loopback' && classifyHost(configured) === 'loopback') return;
  }
  throw refusal(displayed, `${SCOPE_REASONS[scope]}, but the configured server ${configured ?? ''} is not`);
}

const SCOPE_REASONS: Readonly<Record<Exclude<AddressScope, 'public'>, string>> = {
  loopback: 'it is on this machine',
  private: 'it is in a private network',
  'link-local': 'it is a link-local address',
  unusable: 'it is a reserved address',
};

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? normalizeHostname(new URL(url).hostname) : undefined;
}

function parse(url: string): URL {
  if (!URL.canParse(url)) throw refusal(url, 'it is not a URL');
  return new URL(url);
}

function refusal(displayed: string, why: string): AppError {
  const address = redactUrl(displayed);
  return new AppError('DENIED', `Refused to use the URL ${address}: ${why}.`, { data: { address } });
}

/** Shortens a URL for messages: the part before `@` may be a password, the part after `?` a code. */
export function redactUrl(url: string): string {
  const displayed = url.replace(/\/\/[^/@]*@/, '//…@').replace(/[?#].*$/s, '');
  return oneLine(displayed, MAX_SHOWN);
}

const MAX_SHOWN = 200;
