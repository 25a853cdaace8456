import type { ServerEntry } from '../../config/server-entry.ts';
import { LIST_KINDS } from '../../upstream/catalog/listing.ts';
import type { CatalogCache, StoredCatalog } from '../../upstream/catalog-cache/catalog-cache.ts';
import type { Member } from '../servers/gateway-server.ts';

/** What servers offered when they were last seen, so that a client need not wait for them. */
export interface Memory {
  /** The file that holds exactly what is known of it, and its signature; undefined when no file does. */
  fileOf(member: Member): KeptFile | undefined;
  /** Nobody can tell what would be started, because a variable is missing. */
  isUnresolved(member: Member): boolean;
  recall(member: Member): void;
  /** What it offers may be new: it is kept, a little later. */
  remember(member: Member): void;
  /** The client has its list: what was put off for its sake is done now. */
  listAnswered(): void;
  /** Stops deferring writes: catalogs that were never stored before are on disk when this returns. */
  writeNow(): void;
  /** Resolves when everything is kept. */
  close(): Promise<void>;
}

export interface KeptFile {
  readonly file: string;
  readonly signature: string;
}

export interface MemoryOptions {
  readonly cache: CatalogCache;
  /** Under which its catalog is kept; undefined while it cannot be told what would be started. */
  readonly keyOf: (entry: ServerEntry) => string | undefined;
  /**
   * Under which it is kept for a client that can do nothing, by a command for example. That is no more than any client is
   * offered, and better than nothing until the server itself has spoken.
   */
  readonly commonKeyOf: (entry: ServerEntry) => string | undefined;
}

/** The lists of a server come one after the other. */
const WRITE_AFTER_MS = 300;
/** Writes wait until the client has its list, but no longer than this, because the client may leave without it. */
const WRITE_AT_LEAST_AFTER_MS = 1_000;
/** The answer has left by then. */
const WRITE_SOON_MS = 3;
/** A server whose lists change all the time is not written down all the time. */
const WRITE_EVERY_MS = 5_000;

export function createMemory({ cache, keyOf, commonKeyOf }: MemoryOptions): Memory {
  const waiting = new Map<Member, NodeJS.Timeout>();
  /** What the process depends on never changes for a member, and neither does its key. */
  const keys = new WeakMap<Member, string | undefined>();
  const kept = new WeakMap<Member, Kept>();
  const writing = new Set<Promise<void>>();
  let isListAnswered = false;

  const keyOfMember = (member: Member) => {
    if (!keys.has(member)) keys.set(member, keyOf(member.entry));
    return keys.get(member);
  };

  const write = (member: Member) => {
    clearTimeout(waiting.get(member));
    waiting.delete(member);
    const key = keyOfMember(member);
    const catalog = member.catalog.stored();
    const before = kept.get(member);
    if (key === undefined || catalog === undefined || isSame(before?.catalog, catalog)) return;
    const { id } = member.entry;
    const now: Kept = { catalog, writes: (before?.writes ?? 0) + 1, at: performance.now(), signature: undefined };
    kept.set(member, now);
    // Never seen before. Whoever has the list may end us without a warning, and the next would wait as long again.
    if (before === undefined) {
      now.signature = cache.writeNow(id, key, catalog);
      return;
    }
    const written = cache.write(id, key, catalog).then((signature) => {
      now.signature = signature;
      writing.delete(written);
    });
    writing.add(written);
  };

  const writeNow = () => {
    isListAnswered = true;
    for (const member of [...waiting.keys()].reverse()) write(member);
  };

  const recallCommon = (member: Member) => {
    const { entry } = member;
    const key = commonKeyOf(entry);
    const found = key === undefined || key === keyOfMember(member) ? undefined : cache.read(entry.id, key);
    if (found !== undefined) member.catalog.recall(found);
  };

  return {
    isUnresolved: (member) => keyOfMember(member) === undefined,
    fileOf(member) {
      const key = keyOfMember(member);
      const { catalog, signature } = kept.get(member) ?? {};
      const current = member.catalog.stored();
      if (key === undefined || signature === undefined || current === undefined) return undefined;
      return isSame(catalog, current) ? { file: cache.fileOf(member.entry.id, key), signature } : undefined;
    },
    recall(member) {
      // What nobody has trusted yet is asked for: it is trusted as it is now, not as it was.
      if (cache.isEmpty() || (member.entry.pin && !member.pin.isPinned())) return;
      const { id } = member.entry;
      const key = keyOfMember(member);
      if (key === undefined) return;
      // Before it is read: if it is another one by then, nobody will take the one for the other.
      const signature = cache.signature(id, key);
      const found = cache.read(id, key);
      if (found === undefined) return recallCommon(member);
      member.catalog.recall(found);
      const catalog = member.catalog.stored();
      if (catalog !== undefined) kept.set(member, { catalog, writes: 0, at: 0, signature });
    },
    remember(member) {
      if (waiting.has(member)) return;
      const pauseMs = isListAnswered ? pauseAfter(kept.get(member)) : WRITE_AT_LEAST_AFTER_MS;
      waiting.set(member, setTimeout(() => write(member), pauseMs).unref());
    },
    listAnswered() {
      if (isListAnswered) return;
      isListAnswered = true;
      // Soon, because a short conversation ends without a warning, and first those for which the client had to wait.
      setTimeout(writeNow, WRITE_SOON_MS);
    },
    writeNow,
    async close() {
      writeNow();
      await Promise.all(writing);
    },
  };
}

/** What is on disk, how often it was written in this run, and when. */
interface Kept {
  readonly catalog: StoredCatalog;
  readonly writes: number;
  readonly at: number;
  /** Undefined while it is being written. */
  signature: string | undefined;
}

/** What was never seen before is written at once: a short conversation ends without a warning. */
function pauseAfter(kept: Kept | undefined): number {
  if (kept === undefined) return 0;
  return kept.writes <= 1 ? WRITE_AFTER_MS : Math.max(WRITE_AFTER_MS, kept.at + WRITE_EVERY_MS - performance.now());
}

/** A list that did not change is the same one. */
function isSame(before: StoredCatalog | undefined, after: StoredCatalog): boolean {
  return before?.facts === after.facts && LIST_KINDS.every((kind) => before.lists[kind] === after.lists[kind]);
}

/** Nothing is kept. */
export const NO_MEMORY: Memory = {
  fileOf: () => undefined,
  isUnresolved: () => false,
  recall: () => {},
  remember: () => {},
  listAnswered: () => {},
  writeNow: () => {},
  close: async () => {},
};
