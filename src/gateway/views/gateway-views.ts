import { messageOf } from '../../base/errors.ts';
import type { LoadedConfig } from '../../config/server-entry.ts';
import { selectLimits, type ViewSelection } from '../../config/views/select-view.ts';
import { NOTHING, type ViewLimit } from '../../config/views/view.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { AggregateCatalogOptions } from '../catalog/aggregate-catalog.ts';
import { plainNames, prefixedNames } from '../catalog/naming-scheme.ts';
import { PublicLists } from '../catalog/public-lists.ts';
import { rewriteMetaUris } from '../extensions/rewrite-uris.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { GatewayView } from './gateway-view.ts';

export interface GatewayViewsOptions extends Pick<AggregateCatalogOptions, 'servers' | 'builtIn'> {
  readonly config: () => LoadedConfig;
  /** Whether the names of tools and prompts begin with the id of their server. */
  readonly hasPrefix: boolean;
  readonly warn: (text: string) => void;
}

/** The views that clients of a gateway use. Views are opened on demand, and share the lists of the servers. */
export class GatewayViews {
  /** The view of clients without limits. */
  readonly everything: GatewayView;
  readonly #options: GatewayViewsOptions;
  readonly #lists = new Map<string, PublicLists>();
  readonly #opened = new Map<string, OpenedView>();

  constructor(options: GatewayViewsOptions) {
    this.#options = options;
    this.everything = this.#create({}, []);
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
    // Throws if the client must not be let in, even though a view that is open already shows nothing.
    selectLimits(this.#options.config(), selection);
    return this.openAnyway(selection);
  }

  /** Like `open`, but a view that cannot be used shows nothing. */
  openAnyway(selection: ViewSelection): GatewayView {
    const { view, client, server } = selection;
    if (view === undefined && client === undefined && server === undefined) return this.everything;
    const key = JSON.stringify([view, client, server]);
    const known = this.#opened.get(key);
    if (known !== undefined) return known.view;
    const { limits, fault } = limitsOf(this.#options.config(), selection);
    const opened = { selection, view: this.#create(selection, limits), fault };
    this.#opened.set(key, opened);
    return opened.view;
  }

  /** Returns the selection that a view was opened with. */
  selectionOf(wanted: GatewayView): ViewSelection {
    return [...this.#opened.values()].find(({ view }) => view === wanted)?.selection ?? {};
  }

  /** Invalidates the list of one server. */
  listChanged(server: GatewayServer, kind: ListKind): void {
    for (const lists of this.#lists.values()) lists.listChanged(server, kind);
    for (const view of this.#all()) view.listChanged(server, kind);
  }

  /** Invalidates all lists after servers were added or removed, or their config entries changed. */
  serversChanged(): void {
    for (const lists of this.#lists.values()) lists.clear();
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

  #create({ view, client, server }: ViewSelection, limits: readonly ViewLimit[]): GatewayView {
    const { servers, builtIn } = this.#options;
    const hasPrefix = this.#options.hasPrefix && server === undefined;
    return new GatewayView(view ?? client ?? server, limits, {
      ...{ servers, server, hasPrefix, builtIn: server === undefined ? builtIn : {} },
      listsFor: (profile) => this.#listsFor(profile, hasPrefix),
    });
  }

  #listsFor(profile: ProfileName, hasPrefix: boolean): PublicLists {
    const key = `${profile} ${hasPrefix}`;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const lists = new PublicLists({
      profile: PROFILES[profile],
      namingScheme: hasPrefix ? prefixedNames : plainNames,
      rewriteToolUris: hasPrefix ? rewriteMetaUris : undefined,
    });
    this.#lists.set(key, lists);
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
