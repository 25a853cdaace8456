/** The URI scheme reserved for the gateway. Servers cannot list URIs with this scheme as their own. */
const GATEWAY_SCHEME = 'switchboard://';

/** Returns the URI for a resource whose own URI is reserved or already taken by another server. */
export function gatewayUri(serverId: string, uri: string): string {
  return `${GATEWAY_SCHEME}${encode(serverId)}/${encode(uri)}`;
}

/** Replaces lone surrogates, which JSON can contain and a URI cannot. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

export function isGatewayUri(uri: string): boolean {
  return uri.toLowerCase().startsWith(GATEWAY_SCHEME);
}
