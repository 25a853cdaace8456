import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { gatewayUri } from './gateway-uri.ts';
import { type PublicList, type Remark, type Route, toPublicItem } from './public-list.ts';

/** The merged lists of all servers. */
export interface MergedList {
  readonly routes: ReadonlyMap<string, Route>;
  /** The items as JSON, one list per server, in server order. */
  readonly lists: readonly (readonly string[])[];
  /** Remarks about items whose name another server already uses. */
  readonly shadowed: ReadonlyMap<GatewayServer, readonly Remark[]>;
}

export function mergeLists(kind: ListKind, publicLists: ReadonlyMap<GatewayServer, PublicList>): MergedList {
  const routes = new Map<string, Route>();
  const lists: string[][] = [];
  const shadowed = new Map<GatewayServer, Remark[]>();
  for (const [server, { items: publicItems }] of publicLists) {
    const items: string[] = [];
    lists.push(items);
    for (const item of publicItems) {
      const { name, definition } = item;
      const listedName = routes.has(name) ? aliasFor(kind, server.upstream.id, definition.key) : name;
      if (listedName !== name) {
        const outcome = listedName === undefined ? 'not listed' : `listed as ${listedName}`;
        const remark = { name: definition.key, text: `${outcome}: another server has ${name}` };
        shadowed.set(server, [...(shadowed.get(server) ?? []), remark]);
      }
      if (listedName === undefined || routes.has(listedName)) continue;
      // The item itself, which all views share.
      routes.set(listedName, item);
      items.push(listedName === name ? item.json : toPublicItem(server, definition, listedName).json);
    }
  }
  return { routes, lists, shadowed };
}

/**
 * Returns an alternative name. If two servers list the same URI, the second resource gets a gateway URI. Other kinds
 * have no alternative.
 */
function aliasFor(kind: ListKind, serverId: string, uri: string): string | undefined {
  return kind === 'resources' ? gatewayUri(serverId, uri) : undefined;
}
