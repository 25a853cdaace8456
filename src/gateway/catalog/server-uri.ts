/**
 * Schemes whose URIs mean something only on their own server: two servers may use the same `ui://` URI for different
 * apps. With prefixes, their URIs carry the id of the server. Hosts require the scheme itself to stay as it is.
 */
const SCHEMES = ['ui://', 'skill://'];

/** A URI as its server knows it. */
export interface ServerUri {
  readonly serverId: string;
  readonly uri: string;
}

/**
 * Returns the URI under which clients see a resource: `ui://<server>/<rest>` for `ui://<rest>`. The id becomes a path
 * segment of its own, so that the last segments, which name a skill, stay the same. Other URIs and templates are
 * returned unchanged.
 */
export function toPublicUri(serverId: string, uri: string): string {
  const scheme = schemeOf(uri);
  return scheme === undefined ? uri : `${scheme}${encode(serverId)}/${uri.slice(scheme.length)}`;
}

/** Splits a URI that `toPublicUri` may have returned. Undefined if it carries no id. */
export function splitPublicUri(publicUri: string): ServerUri | undefined {
  const scheme = schemeOf(publicUri);
  const slash = scheme === undefined ? -1 : publicUri.indexOf('/', scheme.length);
  if (scheme === undefined || slash === -1) return undefined;
  const serverId = decode(publicUri.slice(scheme.length, slash));
  return serverId === undefined ? undefined : { serverId, uri: `${scheme}${publicUri.slice(slash + 1)}` };
}

/** Returns whether URIs of this scheme carry the id of their server. */
export function carriesServer(uri: string): boolean {
  return schemeOf(uri) !== undefined;
}

/** Returns whether the URI names the interface of an app. */
export function isUiUri(uri: string): boolean {
  return uri.startsWith('ui://');
}

function schemeOf(uri: string): string | undefined {
  return SCHEMES.find((scheme) => uri.startsWith(scheme));
}

/** Replaces lone surrogates, which a config can contain and a URI cannot. */
function encode(serverId: string): string {
  return encodeURIComponent(Buffer.from(serverId).toString());
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not a valid encoding, so no id.
    return undefined;
  }
}
