import type { ListKind } from '../../upstream/catalog/listing.ts';
import { gatewayUri, isGatewayUri } from './gateway-uri.ts';
import { qualifyNames } from './public-names.ts';

/** What the things of one server are called towards clients: by the server's own name for each. */
export type NamingScheme = (
  kind: ListKind,
  serverId: string,
  names: readonly string[],
  maxLength: number,
) => ReadonlyMap<string, { readonly name: string; readonly reason?: string }>;

/** `server__tool`, for tools and prompts. URIs are never rewritten, but for those that only we may give. */
export const prefixedNames: NamingScheme = (kind, serverId, names, maxLength) => {
  if (kind === 'tools' || kind === 'prompts') return qualifyNames({ serverId, rawNames: names, maxLength });
  return plainNames(kind, serverId, names, maxLength);
};

/** Everything under its own name; of two servers with the same one the first keeps it. */
export const plainNames: NamingScheme = (kind, serverId, names) => {
  const reserved = kind === 'resources' ? names.filter(isGatewayUri) : [];
  const reason = 'addresses that begin with switchboard:// are those of the gateway';
  return new Map(reserved.map((uri) => [uri, { name: gatewayUri(serverId, uri), reason }]));
};
