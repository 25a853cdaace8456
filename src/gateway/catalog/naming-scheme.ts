import type { ListKind } from '../../upstream/catalog/listing.ts';
import { gatewayUri, isGatewayUri } from './gateway-uri.ts';
import { qualifyNames } from './public-names.ts';
import { carriesServer, toPublicUri } from './server-uri.ts';

/** Maps a server's own names to the names that clients see. A name without an entry stays as it is. */
export type NamingScheme = (
  kind: ListKind,
  serverId: string,
  names: readonly string[],
  maxLength: number,
) => ReadonlyMap<string, { readonly name: string; readonly reason?: string }>;

/**
 * Names tools and prompts `server__tool`. Of the URIs, only those of apps and skills and those in the reserved scheme are
 * rewritten.
 */
export const prefixedNames: NamingScheme = (kind, serverId, names, maxLength) => {
  if (kind === 'tools' || kind === 'prompts') return qualifyNames({ serverId, rawNames: names, maxLength });
  const ofServer = names.filter(carriesServer).map((uri) => [uri, { name: toPublicUri(serverId, uri) }] as const);
  return new Map([...plainNames(kind, serverId, names, maxLength), ...ofServer]);
};

/** Keeps all names. If two servers use the same name, the first one keeps it. */
export const plainNames: NamingScheme = (kind, serverId, names) => {
  const reserved = kind === 'resources' ? names.filter(isGatewayUri) : [];
  const reason = 'URIs that begin with switchboard:// are reserved for the gateway';
  return new Map(reserved.map((uri) => [uri, { name: gatewayUri(serverId, uri), reason }]));
};
