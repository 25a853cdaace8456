import type { Profile } from '../../schema/profiles/profile.ts';
import { LIST_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { orderFairly } from './fair-order.ts';
import { ListPages, MAX_PAGE_LENGTH } from './list-pages.ts';
import { type MergedList, mergeLists, type Route } from './merged-list.ts';
import type { NamingScheme } from './naming-scheme.ts';
import { type PublicItem, type PublicList, type Remark, toPublicList } from './public-list.ts';
import { matchesTemplate } from './uri-template.ts';

export interface AggregateCatalogOptions {
  readonly servers: () => readonly GatewayServer[];
  readonly namingScheme: NamingScheme;
  readonly profile: Profile;
  /** Definitions of the gateway itself, as JSON. */
  readonly builtIn: Readonly<Partial<Record<ListKind, readonly string[]>>>;
}

/**
 * What all servers offer together. It is put together when somebody looks, not when a server speaks: two hundred servers
 * that become ready one after the other cost one list, not two hundred.
 */
export class AggregateCatalog {
  readonly #options: AggregateCatalogOptions;
  readonly #lists: Readonly<Record<ListKind, ListState>>;

  constructor(options: AggregateCatalogOptions) {
    this.#options = options;
    this.#lists = {
      tools: createListState('tools'),
      prompts: createListState('prompts'),
      resources: createListState('resources'),
      resourceTemplates: createListState('resourceTemplates'),
    };
  }

  /** A server's list is no longer what it was. */
  listChanged(server: GatewayServer, kind: ListKind): void {
    this.#lists[kind].publicLists.delete(server);
    this.#lists[kind].merged = undefined;
  }

  /** Servers came or went, or what the config says of them has changed. */
  serversChanged(): void {
    for (const kind of LIST_KINDS) {
      this.#lists[kind].publicLists.clear();
      this.#lists[kind].merged = undefined;
    }
  }

  /** Another number as soon as clients would see another list. */
  version(kind: ListKind): number {
    this.#merge(kind);
    return this.#lists[kind].version;
  }

  find(kind: ListKind, name: string): Route | undefined {
    return this.#merge(kind).routes.get(name);
  }

  /** The servers that have a template which fits, also one that another server has listed before them. */
  findByTemplate(uri: string): GatewayServer[] {
    this.#merge('resourceTemplates');
    const { publicLists } = this.#lists.resourceTemplates;
    const matches = ({ definition: { key } }: PublicItem) => matchesTemplate(uri, key);
    return [...publicLists].filter(([, { items }]) => items.some(matches)).map(([server]) => server);
  }

  names(kind: ListKind): string[] {
    return [...this.#merge(kind).routes.keys()];
  }

  /** The result of a list request, as JSON. Throws for a cursor that is not of this version or the one before. */
  page(kind: ListKind, cursor: unknown): string {
    this.#merge(kind);
    const { pages, previousPages: previous } = this.#lists[kind];
    // Whoever reads a list page by page reads one that was true together, though it changes all the time.
    return previous?.hasIssued(cursor) === true ? previous.page(cursor) : pages.page(cursor);
  }

  isOnePage(kind: ListKind): boolean {
    this.#merge(kind);
    return this.#lists[kind].pages.count <= 1;
  }

  remarks(server: GatewayServer): readonly Remark[] {
    return LIST_KINDS.flatMap((kind) => {
      const { shadowed: losers } = this.#merge(kind);
      return [...(this.#lists[kind].publicLists.get(server)?.remarks ?? []), ...(losers.get(server) ?? [])];
    });
  }

  #merge(kind: ListKind): MergedList {
    const state = this.#lists[kind];
    if (state.merged !== undefined) return state.merged;
    const { servers, namingScheme, profile, builtIn } = this.#options;
    // In the order of the servers, whoever was read first.
    state.publicLists = new Map(
      servers().map((server) => [
        server,
        state.publicLists.get(server) ?? toPublicList(server, kind, { namingScheme, profile }),
      ]),
    );
    const merged = mergeLists(kind, state.publicLists);
    const items = orderFairly([...merged.lists, builtIn[kind] ?? []], MAX_PAGE_LENGTH);
    const pages = new ListPages(kind, state.version + 1, items);
    if (!state.pages.hasSameItems(pages)) {
      state.version++;
      state.previousPages = state.pages;
      state.pages = pages;
    }
    state.merged = merged;
    return merged;
  }
}

/** All of one kind. */
interface ListState {
  publicLists: Map<GatewayServer, PublicList>;
  /** Undefined when a server's list has changed since. */
  merged: MergedList | undefined;
  pages: ListPages;
  /** Of the version before, for those who are still reading it. */
  previousPages: ListPages | undefined;
  version: number;
}

function createListState(kind: ListKind): ListState {
  return {
    publicLists: new Map(),
    merged: undefined,
    pages: new ListPages(kind, 0, []),
    previousPages: undefined,
    version: 0,
  };
}
