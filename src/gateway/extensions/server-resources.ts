import { AppError } from '../../base/errors.ts';
import type { AggregateCatalog } from '../catalog/aggregate-catalog.ts';
import { carriesServer, splitPublicUri, toPublicUri } from '../catalog/server-uri.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { GatewayView } from '../views/gateway-view.ts';

/** A server that may have a resource, and its own URI for it. */
export interface Candidate {
  readonly server: GatewayServer;
  readonly uri: string;
}

/** Returns whether clients of the view see this URI with the id of its server. */
export function isServerResource({ hasPrefix }: GatewayView, uri: string): boolean {
  return hasPrefix && carriesServer(uri);
}

/**
 * Finds the server of an app or skill that is not listed under this URI: servers need not list them. An app may also use
 * a URI of its own server, without the id. That works if only one server has it; with several, this throws. Returns the
 * candidates in the order to try; none for other URIs.
 */
export function findServerResource(view: GatewayView, catalog: AggregateCatalog, uri: string): readonly Candidate[] {
  if (!isServerResource(view, uri)) return [];
  const split = splitPublicUri(uri);
  const named = split && view.servers().find(({ upstream }) => upstream.id === split.serverId);
  const [owner, ...others] = catalog.findByOwnUri(uri);
  if (split === undefined || named === undefined) {
    if (owner !== undefined && others.length > 0) throw ambiguous(uri, [owner, ...others]);
    return owner === undefined ? [] : [{ server: owner, uri }];
  }
  const inUri = { server: named, uri: split.uri };
  // Servers often begin their URIs with their own name, which may be their id here too.
  if (owner === undefined) return [inUri];
  return [inUri, { server: others.includes(named) ? named : owner, uri }];
}

function ambiguous(uri: string, owners: readonly GatewayServer[]): AppError {
  const ids = owners.map(({ upstream }) => upstream.id);
  const uris = ids.map((id) => toPublicUri(id, uri));
  const message = `Several servers have ${uri}: ${ids.join(', ')}. Use one of: ${uris.join(', ')}`;
  return new AppError('RESOURCE_NOT_FOUND', message, { data: { uri, servers: ids } });
}
