import type { Profile } from '../../schema/profiles/profile.ts';
import { LIST_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import type { Member } from '../servers/gateway-server.ts';
import { fairOrder } from './fair-order.ts';
import { MAX_PAGE_LENGTH, Pages } from './list-pages.ts';
import { type MergedList, mergeViews, type Route } from './merged-list.ts';
import type { NameTable } from './naming-scheme.ts';
import { type MemberView, type Remark, type Shown, viewMember } from './public-list.ts';
import { matchesTemplate } from './uri-template.ts';

export interface AggregateCatalogOptions {
  readonly members: () => readonly Member[];
  readonly names: NameTable;
  readonly profile: Profile;
  /** Definitions of the gateway itself, as JSON. */
  readonly own: Readonly<Partial<Record<ListKind, readonly string[]>>>;
}

/**
 * What all servers offer together. It is put together when somebody looks, not when a server speaks: two hundred servers
 * that become ready one after the other cost one list, not two hundred.
 */
export class AggregateCatalog {
  readonly #options: AggregateCatalogOptions;
  readonly #offers: Readonly<Record<ListKind, Offer>>;

  constructor(options: AggregateCatalogOptions) {
    this.#options = options;
    this.#offers = {
      tools: newOffer('tools'),
      prompts: newOffer('prompts'),
      resources: newOffer('resources'),
      resourceTemplates: newOffer('resourceTemplates'),
    };
  }

  /** A server's list is no longer what it was. */
  changed(member: Member, kind: ListKind): void {
    this.#offers[kind].views.delete(member);
    this.#offers[kind].merged = undefined;
  }

  /** Servers came or went, or what the config says of them has changed. */
  membersChanged(): void {
    for (const kind of LIST_KINDS) {
      this.#offers[kind].views.clear();
      this.#offers[kind].merged = undefined;
    }
  }

  /** Another number as soon as clients would see another list. */
  version(kind: ListKind): number {
    this.#merge(kind);
    return this.#offers[kind].version;
  }

  find(kind: ListKind, name: string): Route | undefined {
    return this.#merge(kind).routes.get(name);
  }

  /** The servers that have a template which fits, also one that another server has listed before them. */
  findByTemplate(uri: string): Member[] {
    this.#merge('resourceTemplates');
    const { views } = this.#offers.resourceTemplates;
    const fits = ({ definition: { key } }: Shown) => matchesTemplate(uri, key);
    return [...views].filter(([, { shown }]) => shown.some(fits)).map(([member]) => member);
  }

  names(kind: ListKind): string[] {
    return [...this.#merge(kind).routes.keys()];
  }

  /** The result of a list request, as JSON. Throws for a cursor that is not of this version or the one before. */
  page(kind: ListKind, cursor: unknown): string {
    this.#merge(kind);
    const { pages, before } = this.#offers[kind];
    // Whoever reads a list page by page reads one that was true together, though it changes all the time.
    return before?.gave(cursor) === true ? before.page(cursor) : pages.page(cursor);
  }

  isOnePage(kind: ListKind): boolean {
    this.#merge(kind);
    return this.#offers[kind].pages.count <= 1;
  }

  remarks(member: Member): readonly Remark[] {
    return LIST_KINDS.flatMap((kind) => {
      const { losers } = this.#merge(kind);
      return [...(this.#offers[kind].views.get(member)?.remarks ?? []), ...(losers.get(member) ?? [])];
    });
  }

  #merge(kind: ListKind): MergedList {
    const offer = this.#offers[kind];
    if (offer.merged !== undefined) return offer.merged;
    const { members, names: nameTable, profile, own } = this.#options;
    // In the order of the servers, whoever was read first.
    offer.views = new Map(
      members().map((member) => [member, offer.views.get(member) ?? viewMember(member, kind, { nameTable, profile })]),
    );
    const merged = mergeViews(kind, offer.views);
    const items = fairOrder([...merged.lists, own[kind] ?? []], MAX_PAGE_LENGTH);
    const pages = new Pages(kind, offer.version + 1, items);
    if (!offer.pages.hasSameItems(pages)) {
      offer.version++;
      offer.before = offer.pages;
      offer.pages = pages;
    }
    offer.merged = merged;
    return merged;
  }
}

/** All of one kind. */
interface Offer {
  views: Map<Member, MemberView>;
  /** Undefined when a server's list has changed since. */
  merged: MergedList | undefined;
  pages: Pages;
  /** Of the version before, for those who are still reading it. */
  before: Pages | undefined;
  version: number;
}

function newOffer(kind: ListKind): Offer {
  return { views: new Map(), merged: undefined, pages: new Pages(kind, 0, []), before: undefined, version: 0 };
}
