import { domainToUnicode } from 'node:url';
import { needsNeutralising } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';

export interface InspectedUrl {
  /** In full, with escapes in place of whatever cannot be seen. For eyes only: what is opened is the original. */
  readonly url: string;
  /** Where it really leads, in ASCII and without the port; empty when it leads to no host. */
  readonly host: string;
  /** What a person should know before opening it, one sentence each. */
  readonly warnings: readonly string[];
}

/** Looks at an address that a server wants a person to open. Nothing is fetched, and nothing is opened. */
export function inspectUrl(url: string): InspectedUrl {
  const displayed = escapeInvisibleInUrl(url);
  const parsed = parse(url);
  const warnings = [...textWarnings(url, displayed)];
  if (parsed === undefined) warnings.push('It is not an address that can be opened.');
  else warnings.push(...addressWarnings(parsed), ...hostWarnings(parsed.hostname, url));
  return { url: displayed, host: parsed?.hostname ?? '', warnings };
}

/** `visible` knows what steers and formats; what else nobody sees is known to `neutralise`, and blanks are no better. */
function escapeInvisibleInUrl(text: string): string {
  return escapeInvisible(text).replace(/[^!-~]/gu, (character) => {
    if (!/\s/.test(character) && !needsNeutralising(character)) return character;
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    // Whatever is wrong with it: it cannot be opened, and that is told.
    return undefined;
  }
}

function* textWarnings(url: string, displayed: string): Generator<string> {
  if (displayed !== url) yield 'It contains characters that cannot be seen; they are shown as escapes.';
  if (url.includes('\\')) yield 'It contains a backslash, which programs read in different ways.';
  if (url.length > MAX_USUAL_LENGTH) yield `It is unusually long: ${url.length} characters.`;
}

const MAX_USUAL_LENGTH = 2048;

function* addressWarnings({ protocol, hostname, username, password }: URL): Generator<string> {
  if (protocol === 'http:' && !isLoopback(hostname)) {
    yield 'It is not https: others on the way can read and change what is sent.';
  } else if (protocol !== 'https:' && protocol !== 'http:') {
    yield `It is not https: ${protocol} is no address of a web page.`;
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
    yield `The host ${host}${written} is not plain ASCII and may only look like another.`;
    for (const label of unicode.split('.')) {
      const scripts = scriptsOf(label);
      if (scripts.length > 1) yield `The host mixes letters that look alike: ${scripts.join(' and ')}.`;
    }
  } else if (writtenHost(url) !== host) yield `The host is written in an unusual way: it leads to ${host}.`;
  if (isAddress(host) && !isLoopback(host)) yield `The host is a bare IP address: ${host}.`;
}

/** As it stands in the text, before a parser decoded and normalised it. */
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

/** Other spellings of addresses do not get through a parser. */
function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);
}

function scriptsOf(label: string): string[] {
  return LOOKALIKES.filter(({ letters }) => letters.test(label)).map(({ name }) => name);
}

/** The scripts whose letters are taken for each other. Japanese and Korean mix theirs with Latin, and nobody is misled. */
const LOOKALIKES = [
  { name: 'Latin', letters: /\p{Script=Latin}/u },
  { name: 'Cyrillic', letters: /\p{Script=Cyrillic}/u },
  { name: 'Greek', letters: /\p{Script=Greek}/u },
  { name: 'Armenian', letters: /\p{Script=Armenian}/u },
  { name: 'Cherokee', letters: /\p{Script=Cherokee}/u },
  { name: 'Coptic', letters: /\p{Script=Coptic}/u },
];
