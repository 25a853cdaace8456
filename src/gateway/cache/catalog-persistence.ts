import type { ServerEntry } from '../../config/server-entry.ts';
import { LIST_KINDS } from '../../upstream/catalog/listing.ts';
import type { CatalogCache, StoredCatalog } from '../../upstream/catalog-cache/catalog-cache.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';

/** What servers offered when they were last seen, so that a client need not wait for them. */
export interface CatalogPersistence {
  /** The file that holds exactly what is known of it, and its signature; undefined when no file does. */
  fileOf(server: GatewayServer): CacheFile | undefined;
  /** Nobody can tell what would be started, because a variable is missing. */
  isUnresolved(server: GatewayServer): boolean;
  restore(server: GatewayServer): void;
  /** What it offers may be new: it is kept, a little later. */
  scheduleWrite(server: GatewayServer): void;
  /** The client has its list: what was put off for its sake is done now. */
  listAnswered(): void;
  /** Stops deferring writes: catalogs that were never stored before are on disk when this returns. */
  flush(): void;
  /** Resolves when everything is kept. */
  close(): Promise<void>;
}

export interface CacheFile {
  readonly file: string;
  readonly signature: string;
}

export interface CatalogPersistenceOptions {
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
const WRITE_AT_LATEST_MS = 1_000;
/** The answer has left by then. */
const WRITE_SOON_MS = 3;
/** A server whose lists change all the time is not written down all the time. */
const WRITE_EVERY_MS = 5_000;

export function createCatalogPersistence({ cache, keyOf, commonKeyOf }: CatalogPersistenceOptions): CatalogPersistence {
  const scheduled = new Map<GatewayServer, NodeJS.Timeout>();
  /** What the process depends on never changes for a member, and neither does its key. */
  const keys = new WeakMap<GatewayServer, string | undefined>();
  const saved = new WeakMap<GatewayServer, SavedCatalog>();
  const writing = new Set<Promise<void>>();
  let isListAnswered = false;

  const keyOfServer = (server: GatewayServer) => {
    if (!keys.has(server)) keys.set(server, keyOf(server.entry));
    return keys.get(server);
  };

  const write = (server: GatewayServer) => {
    clearTimeout(scheduled.get(server));
    scheduled.delete(server);
    const key = keyOfServer(server);
    const catalog = server.catalog.stored();
    const before = saved.get(server);
    if (key === undefined || catalog === undefined || isSame(before?.catalog, catalog)) return;
    const { id } = server.entry;
    const now: SavedCatalog = {
      catalog,
      writes: (before?.writes ?? 0) + 1,
      at: performance.now(),
      signature: undefined,
    };
    saved.set(server, now);
    // Never seen before. Whoever has the list may end us without a warning, and the next would wait as long again.
    if (before === undefined) {
      now.signature = cache.writeSync(id, key, catalog);
      return;
    }
    const written = cache.write(id, key, catalog).then((signature) => {
      now.signature = signature;
      writing.delete(written);
    });
    writing.add(written);
  };

  const flush = () => {
    isListAnswered = true;
    for (const server of [...scheduled.keys()].reverse()) write(server);
  };

  const restoreCommon = (server: GatewayServer) => {
    const { entry } = server;
    const key = commonKeyOf(entry);
    const stored = key === undefined || key === keyOfServer(server) ? undefined : cache.read(entry.id, key);
    if (stored !== undefined) server.catalog.restore(stored);
  };

  return {
    isUnresolved: (server) => keyOfServer(server) === undefined,
    fileOf(server) {
      const key = keyOfServer(server);
      const { catalog, signature } = saved.get(server) ?? {};
      const current = server.catalog.stored();
      if (key === undefined || signature === undefined || current === undefined) return undefined;
      return isSame(catalog, current) ? { file: cache.fileOf(server.entry.id, key), signature } : undefined;
    },
    restore(server) {
      // What nobody has trusted yet is asked for: it is trusted as it is now, not as it was.
      if (cache.isEmpty() || (server.entry.pin && !server.pin.isPinned())) return;
      const { id } = server.entry;
      const key = keyOfServer(server);
      if (key === undefined) return;
      // Before it is read: if it is another one by then, nobody will take the one for the other.
      const signature = cache.signature(id, key);
      const stored = cache.read(id, key);
      if (stored === undefined) return restoreCommon(server);
      server.catalog.restore(stored);
      const catalog = server.catalog.stored();
      if (catalog !== undefined) saved.set(server, { catalog, writes: 0, at: 0, signature });
    },
    scheduleWrite(server) {
      if (scheduled.has(server)) return;
      const pauseMs = isListAnswered ? writeDelayAfter(saved.get(server)) : WRITE_AT_LATEST_MS;
      scheduled.set(server, setTimeout(() => write(server), pauseMs).unref());
    },
    listAnswered() {
      if (isListAnswered) return;
      isListAnswered = true;
      // Soon, because a short conversation ends without a warning, and first those for which the client had to wait.
      setTimeout(flush, WRITE_SOON_MS);
    },
    flush,
    async close() {
      flush();
      await Promise.all(writing);
    },
  };
}

/** What is on disk, how often it was written in this run, and when. */
interface SavedCatalog {
  readonly catalog: StoredCatalog;
  readonly writes: number;
  readonly at: number;
  /** Undefined while it is being written. */
  signature: string | undefined;
}

/** What was never seen before is written at once: a short conversation ends without a warning. */
function writeDelayAfter(saved: SavedCatalog | undefined): number {
  if (saved === undefined) return 0;
  return saved.writes <= 1 ? WRITE_AFTER_MS : Math.max(WRITE_AFTER_MS, saved.at + WRITE_EVERY_MS - performance.now());
}

/** A list that did not change is the same one. */
function isSame(before: StoredCatalog | undefined, after: StoredCatalog): boolean {
  return (
    before?.initializeResult === after.initializeResult &&
    LIST_KINDS.every((kind) => before.lists[kind] === after.lists[kind])
  );
}

/** Nothing is kept. */
export const NO_PERSISTENCE: CatalogPersistence = {
  fileOf: () => undefined,
  isUnresolved: () => false,
  restore: () => {},
  scheduleWrite: () => {},
  listAnswered: () => {},
  flush: () => {},
  close: async () => {},
};
