/**
 * Returns the parts of a credential that a server may repeat without the rest: what follows a scheme such as `Bearer`,
 * the user name and password that `Basic` encodes, and the password of a URL.
 */
export function partsOfCredential(value: string): readonly string[] {
  const [, scheme = '', rest] = /^(\S+)\s+(.*)$/s.exec(value) ?? [];
  const afterScheme = rest === undefined ? [] : [rest, ...(/^basic$/i.test(scheme) ? decodeBasic(rest) : [])];
  return [...afterScheme, ...passwordInUrl(value)];
}

/** Does the same for a header, which may also consist of named values: `session=abc; user=me`, `Token token="abc"`. */
export function partsOfHeader(value: string): readonly string[] {
  const named = [...value.matchAll(NAMED_VALUE)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  return [...partsOfCredential(value), ...named];
}

const NAMED_VALUE = /(?:^|[\s;,])[\w!#$%&'*+.^`|~-]{1,100}=(?:"([^"]+)"|([^\s;,"]+))/g;

/** Returns the decoded credentials, and the password alone. The user name alone is no secret. */
function decodeBasic(encoded: string): readonly string[] {
  const credentials = Buffer.from(encoded, 'base64').toString('utf8');
  return [credentials, ...(/:(.+)$/s.exec(credentials)?.slice(1) ?? [])];
}

/** Returns the password of a URL, as written and decoded. */
export function passwordInUrl(text: string): readonly string[] {
  const password = /^[a-z][a-z\d+.-]*:\/\//i.test(text) && URL.canParse(text) ? new URL(text).password : '';
  return password === '' ? [] : [...new Set([password, decoded(password)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The percent-encoding is invalid, so a server repeats the text as written.
    return text;
  }
}
