import { messageOf } from '../base/errors.ts';
import { type DefinitionList, readList } from '../schema/list.ts';
import { isObject } from '../wire/messages.ts';
import type { StoredCatalog } from './catalog-cache.ts';
import { readFacts } from './handshake.ts';
import { STARTUP_TIMEOUT_MS } from './limits.ts';
import { LIST_KINDS, LIST_METHODS, type ListKind, readListing } from './listing.ts';
import type { Upstream } from './upstream.ts';

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
  /** The server was connected: everything is listed. */
  connected(): void;
  /** The server says that a list has changed. Many changes in a short time are one. */
  changed(kind: ListKind): void;
  /** What it offered in an earlier run: that counts until the server itself says what it offers. */
  recall(stored: StoredCatalog): void;
  /** The same for what its predecessor was believed to offer: nobody must take that for its own. */
  borrow(predecessor: UpstreamCatalog): void;
  /** Everything that it is believed to offer, borrowed or its own; undefined before anything is known. */
  believed(): StoredCatalog | undefined;
  /** What is known of it, as the server wrote it; undefined before its tools are known, and while their list is not whole. */
  stored(): StoredCatalog | undefined;
}

/** Called when a list was read. `before` is what was known until then; the same object, when nothing has changed. */
export type OnListed = (kind: ListKind, before: DefinitionList | undefined) => void;

/** A server that announces changes all the time is asked at most so often. */
const REFRESH_EVERY_MS = 100;

export function createCatalog(upstream: Upstream, onListed: OnListed): UpstreamCatalog {
  const lists = new Map<ListKind, KeptList>();
  const problems = new Map<ListKind, string>();
  const listed = new Set<ListKind>();
  /** Being read, or read a moment ago. */
  const resting = new Set<ListKind>();
  const reading = new Set<ListKind>();
  const dirty = new Set<ListKind>();
  /** Lists of its predecessor. */
  const borrowed = new Set<ListKind>();

  const refresh = async (kind: ListKind) => {
    dirty.delete(kind);
    resting.add(kind);
    reading.add(kind);
    const before = lists.get(kind);
    try {
      await read(kind);
      listed.add(kind);
    } catch (error) {
      problems.set(kind, `${LIST_METHODS[kind]}: ${messageOf(error)}`);
      // One that fell meanwhile has not been asked: it is, when it is connected again.
      if (upstream.state.kind === 'ready') listed.add(kind);
    }
    reading.delete(kind);
    onListed(kind, before?.list());
    setTimeout(() => {
      resting.delete(kind);
      if (dirty.has(kind)) void refresh(kind);
    }, REFRESH_EVERY_MS).unref();
  };

  const read = async (kind: ListKind) => {
    const method = LIST_METHODS[kind];
    const { pages, problem } = offers(upstream, kind)
      ? await readListing(kind, (params) => upstream.request(method, params, STARTUP_TIMEOUT_MS))
      : { pages: [], problem: undefined };
    borrowed.delete(kind);
    if (lists.get(kind)?.isMadeOf(pages) !== true) lists.set(kind, keepList(kind, pages));
    if (problem === undefined) problems.delete(kind);
    else problems.set(kind, `${method}: the server sent ${problem}`);
  };

  const changed = (kind: ListKind) => {
    if (resting.has(kind)) dirty.add(kind);
    else void refresh(kind);
  };

  const recall = ({ facts: json, lists: stored }: StoredCatalog): readonly ListKind[] => {
    const facts = readFacts(json);
    if (facts === undefined) return [];
    upstream.recall(facts);
    const recalled = LIST_KINDS.filter((kind) => stored[kind] !== undefined && !lists.has(kind));
    for (const kind of recalled) lists.set(kind, keepList(kind, stored[kind] ?? []));
    return recalled;
  };

  const store = (some: readonly (readonly [ListKind, KeptList])[]): StoredCatalog | undefined => {
    const { facts } = upstream;
    if (facts === undefined) return undefined;
    return { facts: facts.json, lists: Object.fromEntries(some.map(([kind, { pages }]) => [kind, pages])) };
  };

  return {
    list: (kind) => lists.get(kind)?.list() ?? NOTHING,
    isListed: (kind) => listed.has(kind),
    isFresh: (kind) => listed.has(kind) && !reading.has(kind) && !dirty.has(kind),
    isKnown: (kind) => listed.has(kind) || lists.has(kind),
    hasList: (kind) => lists.has(kind),
    problem: (kind) => problems.get(kind),
    problems: () => [...problems.values()],
    connected: () => LIST_KINDS.forEach(changed),
    changed,
    recall: (stored) => void recall(stored),
    borrow(predecessor) {
      const stored = predecessor.believed();
      if (stored !== undefined) for (const kind of recall(stored)) borrowed.add(kind);
    },
    believed: () => store([...lists]),
    stored() {
      const own = [...lists].filter(([kind]) => !borrowed.has(kind));
      const hasTools = own.some(([kind]) => kind === 'tools') && !problems.has('tools');
      return hasTools ? store(own) : undefined;
    },
  };
}

const NOTHING: DefinitionList = { items: [], quarantined: [], repairs: [] };

/** A list as its server wrote it. It is read when somebody looks: most clients never ask for most lists. */
interface KeptList {
  readonly pages: readonly Buffer[];
  readonly list: () => DefinitionList;
  readonly isMadeOf: (pages: readonly Buffer[]) => boolean;
}

function keepList(kind: ListKind, pages: readonly Buffer[]): KeptList {
  const kept = pages.map(copy);
  let list: DefinitionList | undefined;
  return {
    pages: kept,
    list() {
      list ??= readList(kind, kept);
      return list;
    },
    isMadeOf: (others) => others.length === kept.length && kept.every((page, at) => others[at]?.equals(page) === true),
  };
}

/** A page is a part of what was read at once, which would stay in memory with it. */
function copy(page: Buffer): Buffer {
  return page.length * 2 > page.buffer.byteLength ? page : Buffer.from(new Uint8Array(page).buffer);
}

function offers({ facts }: Upstream, kind: ListKind): boolean {
  return isObject(facts?.capabilities[kind === 'resourceTemplates' ? 'resources' : kind]);
}
