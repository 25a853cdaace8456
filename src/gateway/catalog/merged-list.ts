import type { Definition } from '../../schema/definitions/definition.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { gatewayUri } from './gateway-uri.ts';
import { type PublicList, type Remark, toPublicItem } from './public-list.ts';

/** Where something goes that a client asks for by name or URI. */
export interface Route {
  readonly server: GatewayServer;
  /** What the server itself calls it. */
  readonly key: string;
  readonly definition: Definition;
}

/** The lists of all servers as one. */
export interface MergedList {
  readonly routes: ReadonlyMap<string, Route>;
  /** As JSON, a list for each server, in the order of the servers. */
  readonly lists: readonly (readonly string[])[];
  /** What became of things whose name another server had first. */
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
        const outcome = listedName === undefined ? 'hidden' : `listed as ${listedName}`;
        const remark = { name: definition.key, text: `${outcome}: another server has ${name}` };
        shadowed.set(server, [...(shadowed.get(server) ?? []), remark]);
      }
      if (listedName === undefined || routes.has(listedName)) continue;
      routes.set(listedName, { server, key: definition.key, definition });
      items.push(listedName === name ? item.json : toPublicItem(definition, listedName).json);
    }
  }
  return { routes, lists, shadowed };
}

/** Two servers with the same URI: the second keeps its own under an address of ours. Nothing else has a second form. */
function aliasFor(kind: ListKind, serverId: string, uri: string): string | undefined {
  return kind === 'resources' ? gatewayUri(serverId, uri) : undefined;
}
