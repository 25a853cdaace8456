import { createView, type View, type ViewLimit } from '../../config/views/view.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { AggregateCatalog, type AggregateCatalogOptions } from '../catalog/aggregate-catalog.ts';
import type { PublicLists } from '../catalog/public-lists.ts';
import { mayBeNameOf } from '../catalog/public-names.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';

export interface GatewayViewParts extends Pick<AggregateCatalogOptions, 'servers' | 'builtIn'> {
  /** Returns the lists of all servers for a profile. */
  readonly listsFor: (profile: ProfileName) => PublicLists;
  /** Whether the names of tools and prompts begin with the id of their server. */
  readonly hasPrefix: boolean;
  /** The only server, if clients see it as if they were directly connected to it. */
  readonly server: string | undefined;
}

/**
 * What some clients see: a part of the servers and their tools, and the catalogs of that part, one per profile. It stays
 * the same object when a reload changes its limits.
 */
export class GatewayView {
  /** The name for messages: of a view or of a client. Undefined shows everything. */
  readonly name: string | undefined;
  readonly #parts: GatewayViewParts;
  readonly #catalogs: Partial<Record<ProfileName, AggregateCatalog>> = {};
  #limits: readonly ViewLimit[];
  #view: View;
  #servers: readonly GatewayServer[] | undefined;

  constructor(name: string | undefined, limits: readonly ViewLimit[], parts: GatewayViewParts) {
    this.name = name;
    this.#parts = parts;
    this.#limits = limits;
    this.#view = createView(limits);
  }

  /** Whether it may hide anything. */
  get isLimited(): boolean {
    return this.#limits.length > 0;
  }

  /** The id of the only server, if clients see it as if they were directly connected to it. */
  get server(): string | undefined {
    return this.#parts.server;
  }

  /** Whether the names of tools and prompts begin with the id of their server. */
  get hasPrefix(): boolean {
    return this.#parts.hasPrefix;
  }

  /** Returns whether, judging by the name alone, a server could own a tool. */
  mayOwn(serverId: string, publicName: string): boolean {
    return !this.hasPrefix || mayBeNameOf(serverId, publicName);
  }

  get limits(): readonly ViewLimit[] {
    return this.#limits;
  }

  showsServer(id: string): boolean {
    return this.#view.showsServer(id);
  }

  /** Returns whether a tool is visible, by the server's own name for it. */
  showsTool(serverId: string, tool: string): boolean {
    return this.#view.showsTool(serverId, tool);
  }

  /** Returns the visible servers, in config order. */
  servers(): readonly GatewayServer[] {
    this.#servers ??= this.#parts.servers().filter(({ upstream }) => this.showsServer(upstream.id));
    return this.#servers;
  }

  /** Returns the merged catalog for clients with this profile. */
  catalog(profile: ProfileName): AggregateCatalog {
    const known = this.#catalogs[profile];
    if (known !== undefined) return known;
    const catalog = new AggregateCatalog({
      servers: () => this.servers(),
      lists: this.#parts.listsFor(profile),
      showsTool: () => (this.#limits.some(limitsTools) ? this.#view.showsTool : undefined),
      builtIn: this.#parts.builtIn,
    });
    this.#catalogs[profile] = catalog;
    return catalog;
  }

  /** Invalidates the lists of one kind if this server is visible. */
  listChanged(server: GatewayServer, kind: ListKind): void {
    if (!this.showsServer(server.upstream.id)) return;
    for (const catalog of Object.values(this.#catalogs)) catalog.listChanged(kind);
  }

  /** Invalidates all lists after servers were added or removed, or their config entries changed. */
  serversChanged(): void {
    this.#servers = undefined;
    for (const catalog of Object.values(this.#catalogs)) catalog.viewChanged();
  }

  /** Replaces the limits. Clients keep the lists that they have read until they read them again. */
  setLimits(limits: readonly ViewLimit[]): void {
    if (JSON.stringify(limits) === JSON.stringify(this.#limits)) return;
    this.#limits = limits;
    this.#view = createView(limits);
    this.serversChanged();
  }
}

function limitsTools({ tools: { allow, deny } }: ViewLimit): boolean {
  return allow !== undefined || deny.length > 0;
}
