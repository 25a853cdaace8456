import { messageOf } from '../../base/errors.ts';
import { type DefinitionList, readDefinitionList } from '../../schema/definitions/definition-list.ts';
import type { StoredCatalog } from '../catalog-cache/catalog-cache.ts';
import { parseInitializeResult } from '../connection/handshake.ts';
import type { Upstream } from '../upstream.ts';
import { fetchList } from './fetch-list.ts';
import { createListRetries } from './list-retries.ts';
import { LIST_KINDS, LIST_METHODS, type ListKind } from './listing.ts';

/** What one server offers, as it last listed it. A server that falls keeps its list: it will be back. */
export interface UpstreamCatalog {
  list(kind: ListKind): DefinitionList;
  /** It was listed in this run, or asking for it failed, or the server has nothing of this kind. */
  isListed(kind: ListKind): boolean;
  /** It was listed in this run, and the server has not said since that it changed. */
  isFresh(kind: ListKind): boolean;
  /** It was listed, in this run or an earlier one. */
  isKnown(kind: ListKind): boolean;
  /** There is a list of this kind, be it an old one or not a whole one. */
  hasList(kind: ListKind): boolean;
  /** Why a list is missing or not whole. */
  problem(kind: ListKind): string | undefined;
  problems(): readonly string[];
  /** The server was asked and gave no list of this kind. It is asked again from time to time. */
  hasFailed(kind: ListKind): boolean;
  /**
   * A caller needs this list. A list that failed is requested again now and counts as not listed until then. Any other
   * list is requested once more without a pause if its next read fails.
   */
  retry(kind: ListKind): void;
  /** The server was connected: everything is listed. */
  connected(): void;
  /** The server says that a list has changed. Many changes in a short time are one. */
  changed(kind: ListKind): void;
  /** What it offered in an earlier run: that counts until the server itself says what it offers. */
  restore(ownSnapshot: StoredCatalog): void;
  /** The same for what its predecessor was believed to offer: nobody must take that for its own. */
  inherit(predecessor: UpstreamCatalog): void;
  /** Everything that it is believed to offer, borrowed or its own; undefined before anything is known. */
  snapshot(): StoredCatalog | undefined;
  /** What is known of it, as the server wrote it; undefined before its tools are known, and while their list is not whole. */
  stored(): StoredCatalog | undefined;
}

/** Called when a list was read. `before` is what was known until then; the same object, when nothing has changed. */
export type OnListed = (kind: ListKind, before: DefinitionList | undefined) => void;

/** A server that announces changes all the time is asked at most so often. */
const REFRESH_EVERY_MS = 100;

export interface CatalogOptions {
  /** Whether a list that failed is asked for again without anybody asking; true unless said otherwise. */
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
  /** Being read, or read a moment ago. */
  const coolingDown = new Set<ListKind>();
  const reading = new Set<ListKind>();
  const dirty = new Set<ListKind>();
  /** Lists of its predecessor. */
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
      // A list that we interrupted by stopping the server is no fault of the server.
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
    // One that fell meanwhile has not been asked: it is, when it is connected again.
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

/** A list as its server wrote it. It is read when somebody looks: most clients never ask for most lists. */
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

/** A page is a part of what was read at once, which would stay in memory with it. */
function copy(page: Buffer): Buffer {
  return page.length * 2 > page.buffer.byteLength ? page : Buffer.from(new Uint8Array(page).buffer);
}
