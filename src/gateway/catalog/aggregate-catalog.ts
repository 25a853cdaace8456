import { matchesTemplate } from '../../schema/uri-template.ts';
import { LIST_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { orderFairly } from './fair-order.ts';
import { ListPages, MAX_PAGE_LENGTH } from './list-pages.ts';
import { type MergedList, mergeLists } from './merged-list.ts';
import { filterPublicList, type PublicItem, type PublicList, type Remark, type Route } from './public-list.ts';
import type { PublicLists } from './public-lists.ts';

export interface AggregateCatalogOptions {
  /** Returns the servers of the view. */
  readonly servers: () => readonly GatewayServer[];
  /** The lists of all servers for the profile of the clients. */
  readonly lists: PublicLists;
  /** Returns whether the view shows a tool, by the server's own name for it. Undefined if it shows all. */
  readonly showsTool: () => ((serverId: string, tool: string) => boolean) | undefined;
  /** Definitions of the gateway itself, as JSON. */
  readonly builtIn: Readonly<Partial<Record<ListKind, readonly string[]>>>;
}

/**
 * The merged catalog of the servers of one view. It is built lazily: two hundred servers that become ready one after the other cost
 * one merge, not two hundred.
 */
export class AggregateCatalog {
  readonly #options: AggregateCatalogOptions;
  readonly #lists: Readonly<Record<ListKind, ListState>>;
  /** The visible parts of tool lists. */
  #filtered = new WeakMap<PublicList, PublicList>();

  constructor(options: AggregateCatalogOptions) {
    this.#options = options;
    this.#lists = {
      tools: createListState('tools'),
      prompts: createListState('prompts'),
      resources: createListState('resources'),
      resourceTemplates: createListState('resourceTemplates'),
    };
  }

  /** Invalidates the lists of one kind, because a server's list has changed. */
  listChanged(kind: ListKind): void {
    this.#lists[kind].merged = undefined;
  }

  /** Invalidates all lists, because servers, their config entries or the view have changed. */
  viewChanged(): void {
    this.#filtered = new WeakMap();
    for (const kind of LIST_KINDS) this.#lists[kind].merged = undefined;
  }

  /** Returns a number that changes whenever the list that clients see changes. */
  version(kind: ListKind): number {
    this.#merge(kind);
    return this.#lists[kind].version;
  }

  find(kind: ListKind, name: string): Route | undefined {
    return this.#merge(kind).routes.get(name);
  }

  /** Returns all servers with a matching template, even if another server lists the same template first. */
  findByTemplate(uri: string): GatewayServer[] {
    return this.#serversWith('resourceTemplates', ({ name }) => matchesTemplate(uri, name));
  }

  /** Returns the servers that list a resource under this URI of their own, or have a template for it. */
  findByOwnUri(uri: string): GatewayServer[] {
    const listing = this.#serversWith('resources', ({ key }) => key === uri);
    return listing.length > 0
      ? listing
      : this.#serversWith('resourceTemplates', ({ key }) => matchesTemplate(uri, key));
  }

  /** Returns the tools that have this name on their servers, in the order of the servers. */
  findByOwnName(name: string): PublicItem[] {
    this.#merge('tools');
    const lists = [...this.#lists.tools.publicLists.values()];
    return lists.flatMap(({ items }) => items.filter(({ key }) => key === name));
  }

  #serversWith(kind: ListKind, matches: (item: PublicItem) => boolean): GatewayServer[] {
    this.#merge(kind);
    return [...this.#lists[kind].publicLists].filter(([, { items }]) => items.some(matches)).map(([server]) => server);
  }

  names(kind: ListKind): string[] {
    return [...this.#merge(kind).routes.keys()];
  }

  /**
   * Returns the result of a list request, as JSON. Throws for a cursor of neither the current nor the previous version.
   */
  page(kind: ListKind, cursor: unknown): string {
    this.#merge(kind);
    const { pages, previousPages: previous } = this.#lists[kind];
    // A client that reads page by page gets all pages from the same version, even if the list changes meanwhile.
    return previous?.hasIssued(cursor) === true ? previous.page(cursor) : pages.page(cursor);
  }

  isOnePage(kind: ListKind): boolean {
    this.#merge(kind);
    return this.#lists[kind].pages.count <= 1;
  }

  remarks(server: GatewayServer): readonly Remark[] {
    return LIST_KINDS.flatMap((kind) => {
      const { shadowed } = this.#merge(kind);
      return [...(this.#lists[kind].publicLists.get(server)?.remarks ?? []), ...(shadowed.get(server) ?? [])];
    });
  }

  #merge(kind: ListKind): MergedList {
    const state = this.#lists[kind];
    if (state.merged !== undefined) return state.merged;
    const { servers, builtIn } = this.#options;
    // In the order of the servers, whichever list arrived first.
    state.publicLists = new Map(servers().map((server) => [server, this.#visibleList(server, kind)]));
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

  #visibleList(server: GatewayServer, kind: ListKind): PublicList {
    const list = this.#options.lists.of(server, kind);
    const showsTool = kind === 'tools' ? this.#options.showsTool() : undefined;
    if (showsTool === undefined) return list;
    const known = this.#filtered.get(list);
    if (known !== undefined) return known;
    const filtered = filterPublicList(list, (tool) => showsTool(server.upstream.id, tool));
    this.#filtered.set(list, filtered);
    return filtered;
  }
}

/** The state of the lists of one kind. */
interface ListState {
  publicLists: Map<GatewayServer, PublicList>;
  /** Undefined if a server's list has changed since the last merge. */
  merged: MergedList | undefined;
  pages: ListPages;
  /** The pages of the previous version, for clients that are still reading them. */
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
