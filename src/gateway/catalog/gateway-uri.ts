/** Addresses that begin so are ours to give: no server can list one as its own. */
const GATEWAY_SCHEME = 'switchboard://';

/** Where a client finds a resource whose own URI is not free. */
export function gatewayUri(serverId: string, uri: string): string {
  return `${GATEWAY_SCHEME}${encode(serverId)}/${encode(uri)}`;
}

/** Half a character, which JSON can hold and a URI cannot, is replaced. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

export function isGatewayUri(uri: string): boolean {
  return uri.toLowerCase().startsWith(GATEWAY_SCHEME);
}
