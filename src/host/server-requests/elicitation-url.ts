import { domainToUnicode } from 'node:url';
import { needsNeutralizing } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';

export interface InspectedUrl {
  /** The complete URL with invisible characters escaped. For display only: open the original instead. */
  readonly url: string;
  /** The actual host, in ASCII and without the port; empty when the URL has none. */
  readonly host: string;
  /** Facts that a person should know before opening the URL, one sentence each. */
  readonly warnings: readonly string[];
}

/** Inspects a URL that a server wants a person to open. Fetches and opens nothing. */
export function inspectUrl(url: string): InspectedUrl {
  const displayed = escapeInvisibleInUrl(url);
  const parsed = parse(url);
  const warnings = [...textWarnings(url, displayed)];
  if (parsed === undefined) warnings.push('It is not a URL that can be opened.');
  else warnings.push(...addressWarnings(parsed), ...hostWarnings(parsed.hostname, url));
  return { url: displayed, host: parsed?.hostname ?? '', warnings };
}

/**
 * `escapeInvisible` covers control and format characters. `needsNeutralizing` finds the other invisible ones;
 * whitespace is also escaped.
 */
function escapeInvisibleInUrl(text: string): string {
  return escapeInvisible(text).replace(/[^!-~]/gu, (character) => {
    if (!/\s/.test(character) && !needsNeutralizing(character)) return character;
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    // The reason does not matter: `inspectUrl` warns that the URL cannot be opened.
    return undefined;
  }
}

function* textWarnings(url: string, displayed: string): Generator<string> {
  if (displayed !== url) yield 'It contains invisible characters; they are shown as escapes.';
  if (url.includes('\\')) yield 'It contains a backslash, which programs interpret in different ways.';
  if (url.length > MAX_USUAL_LENGTH) yield `It is unusually long: ${url.length} characters.`;
}

const MAX_USUAL_LENGTH = 2048;

function* addressWarnings({ protocol, hostname, username, password }: URL): Generator<string> {
  if (protocol === 'http:' && !isLoopback(hostname)) {
    yield 'It is not https: others on the network can read and change what is sent.';
  } else if (protocol !== 'https:' && protocol !== 'http:') {
    yield `It is not https: ${protocol} is not the scheme of a web page.`;
  }
  if (username !== '' || password !== '') {
    yield `It contains a user name before an @, which can look like a host: it leads to ${hostname || 'no host'}.`;
  }
}

function* hostWarnings(host: string, url: string): Generator<string> {
  if (host === '') return;
  if (host.split('.').some((label) => label.startsWith('xn--'))) {
    const unicode = domainToUnicode(host);
    const written = unicode === '' || unicode === host ? '' : `, shown as ${escapeInvisibleInUrl(unicode)},`;
    yield `The host ${host}${written} is not plain ASCII and may imitate another host.`;
    for (const label of unicode.split('.')) {
      const scripts = scriptsOf(label);
      if (scripts.length > 1) yield `The host mixes letters that look alike: ${scripts.join(' and ')}.`;
    }
  } else if (writtenHost(url) !== host) yield `The host is written in an unusual way: it leads to ${host}.`;
  if (isAddress(host) && !isLoopback(host)) yield `The host is a bare IP address: ${host}.`;
}

/** Returns the host as written, before a parser decodes and normalizes it. */
function writtenHost(url: string): string {
  const [, authority = ''] = /^[^:]*:[/\\]*([^/\\?#]*)/.exec(url) ?? [];
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .toLowerCase();
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** A parser has already normalized other notations of IP addresses. */
function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);
}

function scriptsOf(label: string): string[] {
  return LOOKALIKES.filter(({ letters }) => letters.test(label)).map(({ name }) => name);
}

/** Scripts whose letters are easily confused. Mixing Latin with Japanese or Korean is common and misleads nobody. */
const LOOKALIKES = [
  { name: 'Latin', letters: /\p{Script=Latin}/u },
  { name: 'Cyrillic', letters: /\p{Script=Cyrillic}/u },
  { name: 'Greek', letters: /\p{Script=Greek}/u },
  { name: 'Armenian', letters: /\p{Script=Armenian}/u },
  { name: 'Cherokee', letters: /\p{Script=Cherokee}/u },
  { name: 'Coptic', letters: /\p{Script=Coptic}/u },
];
