import { messageOf } from '../base/errors.ts';
import { type DefinitionList, readList } from '../schema/list.ts';
import { isObject } from '../wire/messages.ts';
import { STARTUP_TIMEOUT_MS } from './limits.ts';
import { LIST_KINDS, LIST_METHODS, type ListKind, readListing } from './listing.ts';
import type { Upstream } from './upstream.ts';

/** What one server offers, as it last listed it. A server that falls keeps its list: it will be back. */
export interface UpstreamCatalog {
  list(kind: ListKind): DefinitionList;
  /** It was listed once, or asking for it failed, or the server has nothing of this kind. */
  isListed(kind: ListKind): boolean;
  /** Why a list is missing or not whole. */
  problems(): readonly string[];
  /** The server was connected: everything is listed. */
  connected(): void;
  /** The server says that a list has changed. Many changes in a short time are one. */
  changed(kind: ListKind): void;
}

const NOTHING: DefinitionList = { items: [], quarantined: [], repairs: [] };

/** A server that announces changes all the time is asked at most so often. */
const REFRESH_EVERY_MS = 100;

/** `onChange` is called when a list was read, whether or not it differs from the one before. */
export function createCatalog(upstream: Upstream, onChange: (kind: ListKind) => void): UpstreamCatalog {
  const lists = new Map<ListKind, DefinitionList>();
  const problems = new Map<ListKind, string>();
  const listed = new Set<ListKind>();
  /** Being read, or read a moment ago. */
  const resting = new Set<ListKind>();
  const dirty = new Set<ListKind>();

  const refresh = async (kind: ListKind) => {
    dirty.delete(kind);
    resting.add(kind);
    try {
      await read(kind);
    } catch (error) {
      problems.set(kind, `${LIST_METHODS[kind]}: ${messageOf(error)}`);
    }
    listed.add(kind);
    onChange(kind);
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
    lists.set(kind, readList(kind, pages));
    if (problem === undefined) problems.delete(kind);
    else problems.set(kind, `${method}: the server sent ${problem}`);
  };

  const changed = (kind: ListKind) => {
    if (resting.has(kind)) dirty.add(kind);
    else void refresh(kind);
  };

  return {
    list: (kind) => lists.get(kind) ?? NOTHING,
    isListed: (kind) => listed.has(kind),
    problems: () => [...problems.values()],
    connected: () => LIST_KINDS.forEach(changed),
    changed,
  };
}

function offers({ facts }: Upstream, kind: ListKind): boolean {
  return isObject(facts?.capabilities[kind === 'resourceTemplates' ? 'resources' : kind]);
}
