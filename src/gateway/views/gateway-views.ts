import { messageOf } from '../../base/errors.ts';
import type { LoadedConfig } from '../../config/server-entry.ts';
import { selectLimits, type ViewSelection } from '../../config/views/select-view.ts';
import { NOTHING, type ViewLimit } from '../../config/views/view.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { AggregateCatalogOptions } from '../catalog/aggregate-catalog.ts';
import type { NamingScheme } from '../catalog/naming-scheme.ts';
import { PublicLists } from '../catalog/public-lists.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { GatewayView } from './gateway-view.ts';

export interface GatewayViewsOptions extends Pick<AggregateCatalogOptions, 'servers' | 'builtIn'> {
  readonly config: () => LoadedConfig;
  readonly namingScheme: NamingScheme;
  readonly warn: (text: string) => void;
}

/** The views that clients of a gateway use. Views are opened on demand, and share the lists of the servers. */
export class GatewayViews {
  /** The view of clients without limits. */
  readonly everything: GatewayView;
  readonly #options: GatewayViewsOptions;
  readonly #lists: Partial<Record<ProfileName, PublicLists>> = {};
  readonly #opened = new Map<string, OpenedView>();

  constructor(options: GatewayViewsOptions) {
    this.#options = options;
    this.everything = this.#create(undefined, []);
  }

  /** Returns whether the config has a usable view of this name. */
  has(name: string): boolean {
    return this.#options.config().views?.named.get(name)?.verdict.kind === 'usable';
  }

  /**
   * Returns the view for a new client; equal selections share one. Throws if the named view does not exist or cannot be
   * used.
   */
  open(selection: ViewSelection): GatewayView {
    const { view, client } = selection;
    if (view === undefined && client === undefined) return this.everything;
    const limits = selectLimits(this.#options.config(), selection);
    const key = JSON.stringify([view, client]);
    const known = this.#opened.get(key);
    if (known !== undefined) return known.view;
    const opened = { selection, view: this.#create(view ?? client, limits), fault: undefined };
    this.#opened.set(key, opened);
    return opened.view;
  }

  /** Returns the selection that a view was opened with. */
  selectionOf(wanted: GatewayView): ViewSelection {
    return [...this.#opened.values()].find(({ view }) => view === wanted)?.selection ?? {};
  }

  /** Invalidates the list of one server. */
  listChanged(server: GatewayServer, kind: ListKind): void {
    for (const lists of Object.values(this.#lists)) lists.listChanged(server, kind);
    for (const view of this.#all()) view.listChanged(server, kind);
  }

  /** Invalidates all lists after servers were added or removed, or their config entries changed. */
  serversChanged(): void {
    for (const lists of Object.values(this.#lists)) lists.clear();
    for (const view of this.#all()) view.serversChanged();
  }

  /** Applies the limits of a new config. The clients of a view that is gone or no longer usable see nothing. */
  configChanged(config: LoadedConfig): void {
    for (const opened of this.#opened.values()) {
      const { limits, fault } = limitsOf(config, opened.selection);
      opened.view.setLimits(limits);
      if (fault !== undefined && fault !== opened.fault)
        this.#options.warn(`Clients of the view ${opened.view.name} see nothing: ${fault}`);
      opened.fault = fault;
    }
  }

  *#all(): Iterable<GatewayView> {
    yield this.everything;
    for (const { view } of this.#opened.values()) yield view;
  }

  #create(name: string | undefined, limits: readonly ViewLimit[]): GatewayView {
    const { servers, builtIn } = this.#options;
    return new GatewayView(name, limits, { servers, builtIn, listsFor: (profile) => this.#listsFor(profile) });
  }

  #listsFor(profile: ProfileName): PublicLists {
    const known = this.#lists[profile];
    if (known !== undefined) return known;
    const lists = new PublicLists({ namingScheme: this.#options.namingScheme, profile: PROFILES[profile] });
    this.#lists[profile] = lists;
    return lists;
  }
}

interface OpenedView {
  readonly selection: ViewSelection;
  readonly view: GatewayView;
  /** Why it shows nothing. */
  fault: string | undefined;
}

function limitsOf(
  config: LoadedConfig,
  selection: ViewSelection,
): { readonly limits: readonly ViewLimit[]; readonly fault: string | undefined } {
  try {
    return { limits: selectLimits(config, selection), fault: undefined };
  } catch (error) {
    return { limits: [NOTHING], fault: messageOf(error) };
  }
}
