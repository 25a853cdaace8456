/**
 * Returns every form in which a server may interpret a resource URI: percent-decoded; with dot segments, repeated
 * slashes and default ports resolved; and without query and fragment.
 */
export function uriInterpretationsOf(uri: string): ReadonlySet<string> {
  return closureOf(uri, [decode, resolve, withoutEnd, withoutEmptyFolders, toComposed]);
}

/** Whether the URI contains a `..` segment in any notation, so that it points elsewhere than it seems to. */
export function hasParentSegment(uri: string): boolean {
  const climbsUp = (text: string) => /(?:^|[\\/:])\.\.(?:[\\/?#]|$)/.test(text);
  return [...closureOf(uri, [decode, withoutTabs])].some(climbsUp);
}

/** Returns every result of applying these steps, in any order. */
function closureOf(uri: string, steps: readonly ((uri: string) => string)[]): ReadonlySet<string> {
  const found = new Set([uri]);
  // Iterating over a Set includes the items that are added during the iteration.
  for (const candidate of found) {
    if (found.size > MAX_INTERPRETATIONS) break;
    for (const step of steps) found.add(step(candidate));
  }
  return found;
}

/** No server decodes a URI this often. */
const MAX_INTERPRETATIONS = 200;

/**
 * Removes one level of percent-encoding. Keeps stray percent signs and invalid UTF-8, and decodes the text around them.
 */
function decode(uri: string): string {
  return uri.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded.replace(/%[2-7][\da-f]/gi, decodeURIComponent);
    }
  });
}

function resolve(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).href : uri;
}

function withoutEnd(uri: string): string {
  return uri.replace(/[?#].*$/s, '');
}

function withoutEmptyFolders(uri: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z\d+.-]*:(?:\/\/)?)?(.*)$/is.exec(uri) ?? [];
  return scheme + rest.replace(/\/{2,}/g, '/').replace(/(?<=[^/])\/$/, '');
}

function toComposed(uri: string): string {
  return uri.normalize('NFC');
}

/** URL parsers that follow the WHATWG standard ignore these characters. */
function withoutTabs(uri: string): string {
  return uri.replace(/[\t\n\r]/g, '');
}
