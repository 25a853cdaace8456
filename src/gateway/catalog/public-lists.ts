import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { type PublicList, type PublicListOptions, toPublicList } from './public-list.ts';

/**
 * The public lists of all servers for one profile, built on demand. All views share them, so that a view costs only a
 * table of references to their items.
 */
export class PublicLists {
  readonly #options: PublicListOptions;
  /** Weak, so that the lists of a removed server go with it. */
  #lists = createTables();

  constructor(options: PublicListOptions) {
    this.#options = options;
  }

  of(server: GatewayServer, kind: ListKind): PublicList {
    const known = this.#lists[kind].get(server);
    if (known !== undefined) return known;
    const list = toPublicList(server, kind, this.#options);
    this.#lists[kind].set(server, list);
    return list;
  }

  /** Invalidates the list of one server. */
  listChanged(server: GatewayServer, kind: ListKind): void {
    this.#lists[kind].delete(server);
  }

  /** Invalidates all lists after config entries have changed. */
  clear(): void {
    this.#lists = createTables();
  }
}

function createTables(): Readonly<Record<ListKind, WeakMap<GatewayServer, PublicList>>> {
  return { tools: new WeakMap(), prompts: new WeakMap(), resources: new WeakMap(), resourceTemplates: new WeakMap() };
}
