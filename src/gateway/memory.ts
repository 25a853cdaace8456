import type { ServerEntry } from '../config/server-entry.ts';
import type { CatalogCache } from '../upstream/catalog-cache.ts';
import type { Member } from './member.ts';

/** What servers offered when they were last seen, so that a client need not wait for them. */
export interface Memory {
  /** Where its catalog is kept; undefined when it is not. */
  fileOf(member: Member): string | undefined;
  recall(member: Member): void;
  /** What it offers may be new: it is kept, a little later. */
  remember(member: Member): void;
  /** Resolves when everything is kept. */
  close(): Promise<void>;
}

export interface MemoryOptions {
  readonly cache: CatalogCache;
  /** Under which its catalog is kept; undefined while it cannot be told what would be started. */
  readonly keyOf: (entry: ServerEntry) => string | undefined;
}

/** The lists of a server come one after the other, and the client is answered first. */
const WRITE_AFTER_MS = 300;
/** A server whose lists change all the time is not written down all the time. */
const WRITE_EVERY_MS = 5_000;

export function createMemory({ cache, keyOf }: MemoryOptions): Memory {
  const waiting = new Map<Member, NodeJS.Timeout>();
  /** What the process depends on never changes for a member, and neither does its key. */
  const keys = new WeakMap<Member, string | undefined>();
  const writtenAt = new Map<string, number>();
  const writing = new Set<Promise<void>>();

  const keyOfMember = (member: Member) => {
    if (!keys.has(member)) keys.set(member, keyOf(member.entry));
    return keys.get(member);
  };

  const write = (member: Member) => {
    clearTimeout(waiting.get(member));
    waiting.delete(member);
    const key = keyOfMember(member);
    const stored = member.catalog.stored();
    if (key === undefined || stored === undefined) return;
    writtenAt.set(key, performance.now());
    const written = cache.write(member.entry.id, key, stored).finally(() => writing.delete(written));
    writing.add(written);
  };

  return {
    fileOf(member) {
      const key = keyOfMember(member);
      return key === undefined ? undefined : cache.fileOf(member.entry.id, key);
    },
    recall(member) {
      const key = keyOfMember(member);
      const stored = key === undefined ? undefined : cache.read(member.entry.id, key);
      if (stored !== undefined) member.catalog.recall(stored);
    },
    remember(member) {
      if (waiting.has(member)) return;
      const last = writtenAt.get(keyOfMember(member) ?? '') ?? Number.NEGATIVE_INFINITY;
      const pauseMs = Math.max(WRITE_AFTER_MS, last + WRITE_EVERY_MS - performance.now());
      waiting.set(member, setTimeout(() => write(member), pauseMs).unref());
    },
    async close() {
      for (const member of [...waiting.keys()]) write(member);
      await Promise.all(writing);
    },
  };
}

/** Nothing is kept. */
export const NO_MEMORY: Memory = {
  fileOf: () => undefined,
  recall: () => {},
  remember: () => {},
  close: async () => {},
};
