import type { ServerEntry } from '../../config/server-entry.ts';
import { LIST_KINDS } from '../../upstream/catalog/listing.ts';
import type { CatalogCache, StoredCatalog } from '../../upstream/catalog-cache/catalog-cache.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';

/** Stores the last known catalogs of servers, so that a client does not wait for them to start. */
export interface CatalogPersistence {
  /** Returns the file with the current catalog of the server, and its signature. Undefined if no file matches. */
  fileOf(server: GatewayServer): CacheFile | undefined;
  /** Returns whether the entry cannot be resolved because a variable is missing. */
  isUnresolved(server: GatewayServer): boolean;
  restore(server: GatewayServer): void;
  /** Schedules a write of the server's catalog, which may have changed. */
  scheduleWrite(server: GatewayServer): void;
  /** Runs the writes that were deferred until the client had its tool list. */
  listAnswered(): void;
  /** Stops deferring writes: catalogs that were never stored before are on disk when this returns. */
  flush(): void;
  /** Writes all scheduled catalogs. Resolves when they are on disk. */
  close(): Promise<void>;
}

export interface CacheFile {
  readonly file: string;
  readonly signature: string;
}

export interface CatalogPersistenceOptions {
  readonly cache: CatalogCache;
  /** Returns the cache key of an entry, or undefined if the entry cannot be resolved. */
  readonly keyOf: (entry: ServerEntry) => string | undefined;
  /**
   * Returns the cache key for a client without capabilities, such as a command. That catalog contains nothing that
   * another client would not get, and it serves as a fallback until the server has listed its tools.
   */
  readonly commonKeyOf: (entry: ServerEntry) => string | undefined;
}

/** Long enough for all lists of a server to arrive. */
const WRITE_AFTER_MS = 300;
/** Writes wait until the client has its list, but no longer than this, because the client may leave without it. */
const WRITE_AT_LATEST_MS = 1_000;
/** Long enough for the response to be sent. */
const WRITE_SOON_MS = 3;
/** Limits the writes for a server whose lists change all the time. */
const WRITE_EVERY_MS = 5_000;

export function createCatalogPersistence({ cache, keyOf, commonKeyOf }: CatalogPersistenceOptions): CatalogPersistence {
  const scheduled = new Map<GatewayServer, NodeJS.Timeout>();
  /**
   * The key depends on the process that the entry describes, which never changes for a `GatewayServer`, and on the
   * params of the first `initialize`. It must not be used before that.
   */
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
    const catalog = storedCatalog(server);
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
    // The first write is synchronous: a client that has its list may kill the gateway without warning, and the next
    // client would wait just as long again.
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
    if (stored !== undefined) restoreFallback(server, stored);
  };

  return {
    isUnresolved: (server) => keyOfServer(server) === undefined,
    fileOf(server) {
      const key = keyOfServer(server);
      const { catalog, signature } = saved.get(server) ?? {};
      const current = storedCatalog(server);
      if (key === undefined || signature === undefined || current === undefined) return undefined;
      return isSame(catalog, current) ? { file: cache.fileOf(server.entry.id, key), signature } : undefined;
    },
    restore(server) {
      // A pin must record the tools that the server lists now, not cached ones, so an unpinned catalog is not restored.
      if (cache.isEmpty() || (server.entry.pin && !server.pin.isPinned())) return;
      const { id } = server.entry;
      const key = keyOfServer(server);
      if (key === undefined) return;
      // Read before the file: if the file is replaced in between, the signature no longer matches.
      const signature = cache.signature(id, key);
      const stored = cache.read(id, key);
      if (stored === undefined) return restoreCommon(server);
      restoreStored(server, stored);
      const catalog = storedCatalog(server);
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
      // Soon, because a short session ends without warning. The servers that the client waited for are written first.
      setTimeout(flush, WRITE_SOON_MS);
    },
    flush,
    async close() {
      flush();
      await Promise.all(writing);
    },
  };
}

function storedCatalog({ catalog, asksClients }: GatewayServer): StoredCatalog | undefined {
  const stored = catalog.stored();
  return stored && asksClients ? { ...stored, asksClients } : stored;
}

function restoreStored(server: GatewayServer, stored: StoredCatalog): void {
  server.catalog.restore(stored);
  if (stored.asksClients !== true) return;
  server.asksClients = true;
  server.isPerClient = true;
}

function restoreFallback(server: GatewayServer, stored: StoredCatalog): void {
  restoreStored(server, stored);
  server.hasFallbackCatalog = true;
}

/** The catalog on disk, how often this process wrote it, and when. */
interface SavedCatalog {
  readonly catalog: StoredCatalog;
  readonly writes: number;
  readonly at: number;
  /** Undefined while the file is being written. */
  signature: string | undefined;
}

/**
 * Returns the delay of the next write. A new catalog is written immediately, because a short session ends without
 * warning.
 */
function writeDelayAfter(saved: SavedCatalog | undefined): number {
  if (saved === undefined) return 0;
  return saved.writes <= 1 ? WRITE_AFTER_MS : Math.max(WRITE_AFTER_MS, saved.at + WRITE_EVERY_MS - performance.now());
}

/** Compares by identity: an unchanged list is the same object. */
function isSame(before: StoredCatalog | undefined, after: StoredCatalog): boolean {
  return (
    before?.initializeResult === after.initializeResult &&
    before.asksClients === after.asksClients &&
    LIST_KINDS.every((kind) => before.lists[kind] === after.lists[kind])
  );
}

/** Stores nothing. */
export const NO_PERSISTENCE: CatalogPersistence = {
  fileOf: () => undefined,
  isUnresolved: () => false,
  restore: () => {},
  scheduleWrite: () => {},
  listAnswered: () => {},
  flush: () => {},
  close: async () => {},
};
