import { type Definition, withKey } from '../schema/definition.ts';
import type { UpstreamCatalog } from '../upstream/catalog.ts';
import { LIST_KINDS, type ListKind } from '../upstream/listing.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { NameTable } from './name-table.ts';
import { Pages } from './pages.ts';
import { matchesTemplate } from './uri-template.ts';

/** One server behind the gateway: its connection and what it offers. */
export interface Member {
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
  /** What the config says of its tools: undefined when a tool may be used, else why not. */
  readonly whyHidden: (toolName: string) => string | undefined;
}

/** Where something goes that a client asks for by name or URI. */
export interface Route {
  readonly member: Member;
  /** What the server itself calls it. */
  readonly key: string;
  readonly definition: Definition;
}

/** What is told about a thing that is not offered as its server listed it. */
export interface Remark {
  readonly kind: ListKind;
  readonly name: string;
  readonly text: string;
}

/** What all servers offer together. Rebuilt kind by kind when a server's list has changed. */
export class AggregateCatalog {
  readonly #members: readonly Member[];
  readonly #names: NameTable;
  readonly #own: Readonly<Partial<Record<ListKind, readonly string[]>>>;
  readonly #routes = new Map<ListKind, ReadonlyMap<string, Route>>();
  readonly #pages = new Map<ListKind, Pages>();
  readonly #remarks = new Map<ListKind, ReadonlyMap<Member, readonly Remark[]>>();
  #version = 0;

  /** `own` are definitions of the gateway itself, as JSON. */
  constructor(members: readonly Member[], names: NameTable, own: Partial<Record<ListKind, readonly string[]>>) {
    this.#members = members;
    this.#names = names;
    this.#own = own;
    for (const kind of LIST_KINDS) this.rebuild(kind);
  }

  /** True when clients would see a different list. */
  rebuild(kind: ListKind): boolean {
    const routes = new Map<string, Route>();
    const items: string[] = [];
    const remarks = new Map<Member, Remark[]>();
    for (const member of this.#members) {
      const own: Remark[] = [];
      remarks.set(member, own);
      const remark = (name: string, text: string) => own.push({ kind, name, text });
      const visible = member.catalog.list(kind).items.filter(({ key }) => {
        const why = kind === 'tools' ? member.whyHidden(key) : undefined;
        if (why !== undefined) remark(key, why);
        return why === undefined;
      });
      const names = this.#names(
        kind,
        member.upstream.id,
        visible.map(({ key }) => key),
      );
      for (const definition of visible) {
        const { key } = definition;
        const { name, reason } = names.get(key) ?? { name: key };
        const taken = routes.has(name);
        const shown = taken ? alias(kind, member.upstream.id, key) : name;
        if (taken)
          remark(
            key,
            shown === undefined
              ? `hidden: another server has ${name}`
              : `listed as ${shown}: another server has ${name}`,
          );
        else if (reason !== undefined) remark(key, `listed as ${name}: ${reason}`);
        if (shown === undefined || routes.has(shown)) continue;
        routes.set(shown, { member, key, definition });
        items.push(shown === key ? definition.json : withKey(definition, shown));
      }
    }
    items.push(...(this.#own[kind] ?? []));
    this.#routes.set(kind, routes);
    this.#remarks.set(kind, remarks);
    return this.#publish(kind, items);
  }

  find(kind: ListKind, name: string): Route | undefined {
    return this.#routes.get(kind)?.get(name);
  }

  /** The server whose template fits. */
  findByTemplate(uri: string): Route | undefined {
    for (const [template, route] of this.#routes.get('resourceTemplates') ?? []) {
      if (matchesTemplate(uri, template)) return route;
    }
    return undefined;
  }

  names(kind: ListKind): string[] {
    return [...(this.#routes.get(kind)?.keys() ?? [])];
  }

  /** The result of a list request, as JSON. Throws for a cursor that is not of this version. */
  page(kind: ListKind, cursor: unknown): string {
    return this.#pages.get(kind)?.page(cursor) ?? `{"${kind}":[]}`;
  }

  remarks(member: Member): readonly Remark[] {
    return LIST_KINDS.flatMap((kind) => this.#remarks.get(kind)?.get(member) ?? []);
  }

  #publish(kind: ListKind, items: readonly string[]): boolean {
    const pages = new Pages(kind, this.#version + 1, items);
    if (this.#pages.get(kind)?.hasSameItems(pages) === true) return false;
    this.#version++;
    this.#pages.set(kind, pages);
    return true;
  }
}

/** Two servers with the same URI: the second keeps its own under an address of ours. Nothing else has a second form. */
function alias(kind: ListKind, serverId: string, uri: string): string | undefined {
  return kind === 'resources' ? `switchboard://${encodeURIComponent(serverId)}/${encodeURIComponent(uri)}` : undefined;
}
