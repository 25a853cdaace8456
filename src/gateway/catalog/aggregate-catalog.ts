import type { Profile } from '../../schema/profiles/profile.ts';
import { matchesTemplate } from '../../schema/uri-template.ts';
import { LIST_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { orderFairly } from './fair-order.ts';
import { ListPages, MAX_PAGE_LENGTH } from './list-pages.ts';
import { type MergedList, mergeLists, type Route } from './merged-list.ts';
import type { NamingScheme } from './naming-scheme.ts';
import { type PublicItem, type PublicList, type Remark, toPublicList } from './public-list.ts';

export interface AggregateCatalogOptions {
  readonly servers: () => readonly GatewayServer[];
  readonly namingScheme: NamingScheme;
  readonly profile: Profile;
  /** Definitions of the gateway itself, as JSON. */
  readonly builtIn: Readonly<Partial<Record<ListKind, readonly string[]>>>;
}

/**
 * The merged catalog of all servers. It is built lazily: two hundred servers that become ready one after the other cost
 * one merge, not two hundred.
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

  /** Invalidates the list of one server. */
  listChanged(server: GatewayServer, kind: ListKind): void {
    this.#lists[kind].publicLists.delete(server);
    this.#lists[kind].merged = undefined;
  }

  /** Invalidates all lists after servers were added or removed, or their config entries changed. */
  serversChanged(): void {
    for (const kind of LIST_KINDS) {
      this.#lists[kind].publicLists.clear();
      this.#lists[kind].merged = undefined;
    }
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
    this.#merge('resourceTemplates');
    const { publicLists } = this.#lists.resourceTemplates;
    const matches = ({ definition: { key } }: PublicItem) => matchesTemplate(uri, key);
    return [...publicLists].filter(([, { items }]) => items.some(matches)).map(([server]) => server);
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
    const { servers, namingScheme, profile, builtIn } = this.#options;
    // In the order of the servers, whichever list arrived first.
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
