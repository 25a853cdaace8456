import { messageOf } from '../../base/errors.ts';
import { type DefinitionList, readDefinitionList } from '../../schema/definitions/definition-list.ts';
import type { StoredCatalog } from '../catalog-cache/catalog-cache.ts';
import { parseInitializeResult } from '../connection/handshake.ts';
import type { Upstream } from '../upstream.ts';
import { fetchList } from './fetch-list.ts';
import { createListRetries } from './list-retries.ts';
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
  const lists = new Map<ListKind, CatalogList>();
  const problems = new Map<ListKind, string>();
  const listed = new Set<ListKind>();
  /** Lists being read now or read less than `REFRESH_EVERY_MS` ago. */
  const coolingDown = new Set<ListKind>();
  const reading = new Set<ListKind>();
  const dirty = new Set<ListKind>();
  /** Lists taken over from the predecessor. */
  const inherited = new Set<ListKind>();
  const retryLater = (kind: ListKind) => {
    if (upstream.state.kind === 'ready') changed(kind);
  };
  const retries = createListRetries(mayRetry ? retryLater : undefined);

  const refresh = async (kind: ListKind) => {
    dirty.delete(kind);
    coolingDown.add(kind);
    reading.add(kind);
    const before = lists.get(kind);
    try {
      await read(kind);
      listed.add(kind);
    } catch (error) {
      // A read interrupted by stopping the server is not the server's failure.
      if (!upstream.isStopping) failed(kind, error);
    }
    reading.delete(kind);
    onListed(kind, before?.list());
    setTimeout(() => {
      coolingDown.delete(kind);
      if (dirty.has(kind)) void refresh(kind);
    }, REFRESH_EVERY_MS).unref();
  };

  const failed = (kind: ListKind, error: unknown) => {
    problems.set(kind, `${LIST_METHODS[kind]} failed: ${messageOf(error)}`);
    retries.failed(kind);
    // After a crash, `connected` reads the list again.
    if (upstream.state.kind === 'ready') (retries.takeRetryRequest(kind) ? dirty : listed).add(kind);
  };

  const read = async (kind: ListKind) => {
    const { pages, problem } = await fetchList(upstream, kind);
    retries.succeeded(kind);
    inherited.delete(kind);
    if (lists.get(kind)?.hasPages(pages) !== true) lists.set(kind, createCatalogList(kind, pages));
    if (problem === undefined) problems.delete(kind);
    else problems.set(kind, `${LIST_METHODS[kind]}: the server sent ${problem}`);
  };

  const changed = (kind: ListKind) => {
    if (coolingDown.has(kind)) dirty.add(kind);
    else void refresh(kind);
  };

  const restore = ({ initializeResult: json, lists: stored }: StoredCatalog): readonly ListKind[] => {
    const initializeResult = parseInitializeResult(json);
    if (initializeResult === undefined) return [];
    upstream.restoreInitializeResult(initializeResult);
    const restored = LIST_KINDS.filter((kind) => stored[kind] !== undefined && !lists.has(kind));
    for (const kind of restored) lists.set(kind, createCatalogList(kind, stored[kind] ?? []));
    return restored;
  };

  return {
    list: (kind) => lists.get(kind)?.list() ?? NOTHING,
    isListed: (kind) => listed.has(kind),
    isFresh: (kind) => listed.has(kind) && !reading.has(kind) && !dirty.has(kind),
    isKnown: (kind) => listed.has(kind) || lists.has(kind),
    hasList: (kind) => lists.has(kind),
    problem: (kind) => problems.get(kind),
    problems: () => [...problems.values()],
    hasFailed: retries.has,
    retry(kind) {
      if (!retries.has(kind) || upstream.state.kind !== 'ready') return retries.requestRetry(kind);
      listed.delete(kind);
      changed(kind);
    },
    connected: () => LIST_KINDS.forEach(changed),
    changed,
    restore: (stored) => void restore(stored),
    inherit(predecessor) {
      const stored = predecessor.snapshot();
      if (stored !== undefined) for (const kind of restore(stored)) inherited.add(kind);
    },
    snapshot: () => toStored(upstream, [...lists]),
    stored() {
      const own = [...lists].filter(([kind]) => !inherited.has(kind));
      const hasTools = own.some(([kind]) => kind === 'tools') && !problems.has('tools');
      return hasTools ? toStored(upstream, own) : undefined;
    },
  };
}

function toStored(
  { initializeResult }: Upstream,
  lists: readonly (readonly [ListKind, CatalogList])[],
): StoredCatalog | undefined {
  if (initializeResult === undefined) return undefined;
  return {
    initializeResult: initializeResult.json,
    lists: Object.fromEntries(lists.map(([kind, { pages }]) => [kind, pages])),
  };
}

const NOTHING: DefinitionList = { items: [], quarantined: [], repairs: [] };

/** A list as sent by the server. It is parsed on first use: most clients never request most lists. */
interface CatalogList {
  readonly pages: readonly Buffer[];
  readonly list: () => DefinitionList;
  readonly hasPages: (pages: readonly Buffer[]) => boolean;
}

function createCatalogList(kind: ListKind, pages: readonly Buffer[]): CatalogList {
  const copies = pages.map(copy);
  let list: DefinitionList | undefined;
  return {
    pages: copies,
    list() {
      list ??= readDefinitionList(kind, copies);
      return list;
    },
    hasPages: (others) =>
      others.length === copies.length && copies.every((page, at) => others[at]?.equals(page) === true),
  };
}

/** Copies a page that is a small slice of a larger read buffer, because the slice keeps the whole buffer in memory. */
function copy(page: Buffer): Buffer {
  return page.length * 2 > page.buffer.byteLength ? page : Buffer.from(new Uint8Array(page).buffer);
}
