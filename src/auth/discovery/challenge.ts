/** The sign-in requirements in a rejected response. */
export interface Challenge {
  /** URL of the protected resource metadata. */
  readonly resourceMetadata: string | undefined;
  readonly scope: string | undefined;
  /** For example `insufficient_scope` or `invalid_token`. */
  readonly error: string | undefined;
}

/** The challenge of a sign-in that no response demanded. */
export const NO_CHALLENGE: Challenge = { resourceMetadata: undefined, scope: undefined, error: undefined };

/**
 * Reads the bearer challenge of a `WWW-Authenticate` header, which may hold several challenges and may be malformed.
 * Never throws; treats unreadable parts as absent.
 *
 * @example
 * readChallenge('Bearer resource_metadata="https://a.example/meta", scope="read write"').scope; // 'read write'
 */
export function readChallenge(wwwAuthenticate: string | undefined): Challenge {
  const parameters = bearerParameters((wwwAuthenticate ?? '').slice(0, MAX_LENGTH));
  return {
    resourceMetadata: parameters.get('resource_metadata'),
    scope: parameters.get('scope'),
    error: parameters.get('error'),
  };
}

const MAX_LENGTH = 8192;
/** A word alone starts a challenge; a word with a value belongs to the challenge before it. RFC 9110 §11.6.1. */
const WORD = /([\w!#$%&'*+.^`|~-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/gs;

function bearerParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  let isBearer = false;
  for (const [, word = '', quoted, plain] of header.matchAll(WORD)) {
    const value = quoted?.replace(/\\(.)/gs, '$1') ?? plain;
    const name = word.toLowerCase();
    if (value === undefined) isBearer = name === 'bearer';
    else if (isBearer && value.trim() !== '' && !parameters.has(name)) parameters.set(name, value.trim());
  }
  return parameters;
}
