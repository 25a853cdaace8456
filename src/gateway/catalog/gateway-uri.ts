/** Addresses that begin so are ours to give: no server can list one as its own. */
const OWN_SCHEME = 'switchboard://';

/** Where a client finds a resource whose own URI is not free. */
export function ownAddress(serverId: string, uri: string): string {
  return `${OWN_SCHEME}${encode(serverId)}/${encode(uri)}`;
}

/** Half a character, which JSON can hold and a URI cannot, is replaced. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

export function isOwnAddress(uri: string): boolean {
  return uri.toLowerCase().startsWith(OWN_SCHEME);
}
