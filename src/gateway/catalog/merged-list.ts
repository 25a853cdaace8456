import type { Definition } from '../../schema/definitions/definition.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { Member } from '../servers/gateway-server.ts';
import { ownAddress } from './gateway-uri.ts';
import { type MemberView, type Remark, show } from './public-list.ts';

/** Where something goes that a client asks for by name or URI. */
export interface Route {
  readonly member: Member;
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
  readonly losers: ReadonlyMap<Member, readonly Remark[]>;
}

export function mergeViews(kind: ListKind, views: ReadonlyMap<Member, MemberView>): MergedList {
  const routes = new Map<string, Route>();
  const lists: string[][] = [];
  const losers = new Map<Member, Remark[]>();
  for (const [member, { shown }] of views) {
    const items: string[] = [];
    lists.push(items);
    for (const thing of shown) {
      const { name, definition } = thing;
      const second = routes.has(name) ? alias(kind, member.upstream.id, definition.key) : name;
      if (second !== name) {
        const what = second === undefined ? 'hidden' : `listed as ${second}`;
        const remark = { name: definition.key, text: `${what}: another server has ${name}` };
        losers.set(member, [...(losers.get(member) ?? []), remark]);
      }
      if (second === undefined || routes.has(second)) continue;
      routes.set(second, { member, key: definition.key, definition });
      items.push(second === name ? thing.json : show(definition, second).json);
    }
  }
  return { routes, lists, losers };
}

/** Two servers with the same URI: the second keeps its own under an address of ours. Nothing else has a second form. */
function alias(kind: ListKind, serverId: string, uri: string): string | undefined {
  return kind === 'resources' ? ownAddress(serverId, uri) : undefined;
}
