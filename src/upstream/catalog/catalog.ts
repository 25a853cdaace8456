import { messageOf } from '../../base/errors.ts';
import type { DefinitionList } from '../../schema/definitions/definition-list.ts';
import type { StoredCatalog } from '../catalog-cache/catalog-cache.ts';
import { parseInitializeResult } from '../connection/handshake.ts';
import type { Upstream } from '../upstream.ts';
import type { CacheHints } from './cache-hints.ts';
import { createCatalogList } from './catalog-list.ts';
import { fetchList } from './fetch-list.ts';
import { hasExpired, remainingHints } from './list-freshness.ts';
import { createListRetries } from './list-retries.ts';
import { createListStates, isFresh, isKnown, type ListStates } from './list-state.ts';
import { LIST_KINDS, LIST_METHODS, type ListKind } from './listing.ts';

/** The lists of one server as last read. They survive a crash, because the server restarts. */
export interface UpstreamCatalog {
  list(kind: ListKind): DefinitionList;
  /** Returns true if the list was read in this run, if reading it failed, or if the server has nothing of this kind. */
  isListed(kind: ListKind): boolean;
  /** Returns true if the list was read in this run and the server has not reported a change since. */
  isFresh(kind: ListKind): boolean;
  /** Returns true if the list was read in this run or an earlier one. */
  isKnown(kind: ListKind): boolean;
  /** Returns true if there is a list of this kind, even a stale or incomplete one. */
  hasList(kind: ListKind): boolean;
  /** Returns why a list is missing or incomplete. */
  problem(kind: ListKind): string | undefined;
  problems(): readonly string[];
  /** Returns how long clients may cache this list from now on. */
  cacheHints(kind: ListKind): CacheHints;
  /** Called when a client reads the list. Requests it again if it has expired. */
  clientReads(kind: ListKind): void;
  /** Returns true if the last request for this list failed. It is retried with backoff. */
  hasFailed(kind: ListKind): boolean;
  /**
   * Records that a caller needs this list. A failed list is requested again now and counts as not listed until then.
   * Any other list is retried once without a pause if its next read fails.
   */
  retry(kind: ListKind): void;
  /** Called when the server has connected. Reads all lists. */
  connected(): void;
  /** Called when the server reports a changed list. Coalesces many changes within a short time. */
  changed(kind: ListKind): void;
  /** Restores the lists of an earlier run. They apply until the server sends its own. */
  restore(ownSnapshot: StoredCatalog): void;
  /** Like `restore`, with the lists of the predecessor. `stored` must not return them as this server's own. */
  inherit(predecessor: UpstreamCatalog): void;
  /** Returns all current lists, inherited ones included; undefined before the `initialize` result is known. */
  snapshot(): StoredCatalog | undefined;
  /** Returns this server's own lists as sent; undefined until its tool list is known and complete. */
  stored(): StoredCatalog | undefined;
}

/** Called after a read. `before` is the previous list; it is the same object as the new one if nothing changed. */
export type OnListed = (kind: ListKind, before: DefinitionList | undefined) => void;

/** Minimum interval between reads, for servers that report changes constantly. */
const REFRESH_EVERY_MS = 100;

export interface CatalogOptions {
  /** Whether failed lists are retried automatically. Default: true. */
  readonly retries?: boolean;
}

export function createCatalog(
  upstream: Upstream,
  onListed: OnListed,
  { retries: mayRetry = true }: CatalogOptions = {},
): UpstreamCatalog {
  const states = createListStates();
  const retryLater = (kind: ListKind) => {
    if (upstream.state.kind === 'ready') changed(kind);
  };
  const retries = createListRetries(mayRetry ? retryLater : undefined);

  const refresh = async (kind: ListKind) => {
    const state = states[kind];
    const before = state.content;
    state.activity = 'reading';
    state.isStale = false;
    state.requestedAt = performance.now();
    try {
      await read(kind);
      state.isListed = true;
    } catch (error) {
      // A read interrupted by stopping the server is not the server's failure.
      if (!upstream.isStopping) failed(kind, error);
    }
    state.activity = 'pausing';
    onListed(kind, before?.list());
    setTimeout(() => {
      state.activity = 'idle';
      if (state.isStale) void refresh(kind);
    }, REFRESH_EVERY_MS).unref();
  };

  const failed = (kind: ListKind, error: unknown) => {
    const state = states[kind];
    state.problem = `${LIST_METHODS[kind]} failed: ${messageOf(error)}`;
    retries.failed(kind);
    // After a crash, `connected` reads the list again.
    if (upstream.state.kind !== 'ready') return;
    if (retries.takeRetryRequest(kind)) state.isStale = true;
    else state.isListed = true;
  };

  const read = async (kind: ListKind) => {
    const state = states[kind];
    const { pages, problem, hints } = await fetchList(upstream, kind);
    retries.succeeded(kind);
    state.isInherited = false;
    state.hints = hints;
    if (state.content?.hasPages(pages) !== true) state.content = createCatalogList(kind, pages);
    state.problem = problem && `${LIST_METHODS[kind]}: the server sent ${problem}`;
  };

  const changed = (kind: ListKind) => {
    const state = states[kind];
    if (state.activity === 'idle') void refresh(kind);
    else state.isStale = true;
  };

  const restore = ({ initializeResult: json, lists: stored }: StoredCatalog): readonly ListKind[] => {
    const initializeResult = parseInitializeResult(json);
    if (initializeResult === undefined) return [];
    upstream.restoreInitializeResult(initializeResult);
    const restored = LIST_KINDS.filter((kind) => stored[kind] !== undefined && states[kind].content === undefined);
    for (const kind of restored) states[kind].content = createCatalogList(kind, stored[kind] ?? []);
    return restored;
  };

  return {
    list: (kind) => states[kind].content?.list() ?? NOTHING,
    isListed: (kind) => states[kind].isListed,
    isFresh: (kind) => isFresh(states[kind]),
    isKnown: (kind) => isKnown(states[kind]),
    hasList: (kind) => states[kind].content !== undefined,
    problem: (kind) => states[kind].problem,
    problems: () => LIST_KINDS.flatMap((kind) => states[kind].problem ?? []),
    cacheHints: (kind) => remainingHints(upstream, kind, states[kind]),
    clientReads: (kind) => void (hasExpired(upstream, kind, states[kind]) && refresh(kind)),
    hasFailed: retries.has,
    retry(kind) {
      if (!retries.has(kind) || upstream.state.kind !== 'ready') return retries.requestRetry(kind);
      states[kind].isListed = false;
      changed(kind);
    },
    connected: () => LIST_KINDS.forEach(changed),
    changed,
    restore: (stored) => void restore(stored),
    inherit(predecessor) {
      const stored = predecessor.snapshot();
      if (stored !== undefined) for (const kind of restore(stored)) states[kind].isInherited = true;
    },
    snapshot: () => toStored(upstream, states, LIST_KINDS),
    stored() {
      const own = LIST_KINDS.filter((kind) => !states[kind].isInherited);
      const { content, problem, isInherited } = states.tools;
      const hasTools = content !== undefined && !isInherited && problem === undefined;
      return hasTools ? toStored(upstream, states, own) : undefined;
    },
  };
}

function toStored(
  { initializeResult }: Upstream,
  states: ListStates,
  kinds: readonly ListKind[],
): StoredCatalog | undefined {
  if (initializeResult === undefined) return undefined;
  const lists: Partial<Record<ListKind, readonly Buffer[]>> = {};
  for (const kind of kinds) {
    const { content } = states[kind];
    if (content !== undefined) lists[kind] = content.pages;
  }
  return { initializeResult: initializeResult.json, lists };
}

const NOTHING: DefinitionList = { items: [], quarantined: [], repairs: [] };
