import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex } from '../../base/digest.ts';
import { describeErrno } from '../../base/files/errno.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import type { ListKind } from '../catalog/listing.ts';
import {
  catalogFileName,
  catalogFolder,
  fileNamePrefix,
  findFolderProblem,
  MAX_CATALOG_BYTES,
  readCacheFile,
} from './cache-folder.ts';
import { type CatalogId, decodeCatalog, encodeCatalog } from './catalog-file.ts';
import { type FailureCache, openFailureCache } from './failure-cache.ts';
import { pruneCatalogs, removeCatalogs } from './prune-catalogs.ts';

/** The last known `initialize` result and lists of a server. */
export interface StoredCatalog {
  /** The result of `initialize`, as JSON text. */
  readonly initializeResult: string;
  /** Pages as bytes of JSON arrays, exactly as sent by the server and accepted by `scanMembers` or `JSON.parse`. */
  readonly lists: Readonly<Partial<Record<ListKind, readonly Buffer[]>>>;
  /** The server asks its client by elicitation or sampling without naming a call, so clients must not share a process. */
  readonly asksClients?: boolean | undefined;
}

/** Catalogs on disk. No method throws or rejects, because every catalog can be fetched again from its server. */
export interface CatalogCache {
  /** Failed starts, stored in the same folder. */
  readonly failures: FailureCache;
  /** Returns undefined if there is no catalog, or if it is incomplete, not ours or of another format version. */
  read(serverId: string, key: string): StoredCatalog | undefined;
  /** Returns true if the folder does not exist, so no lookup is needed. */
  isEmpty(): boolean;
  /** Returns the path of the catalog file. */
  fileOf(serverId: string, key: string): string;
  /** Returns the `readFileSignature` of the catalog file. It changes whenever anyone writes another catalog. */
  signature(serverId: string, key: string): string;
  /**
   * Writes the catalog atomically: the last of several writers wins, and readers never see a partial file. Resolves
   * with the file's signature if this write is the one on disk, otherwise with undefined.
   */
  write(serverId: string, key: string, catalog: StoredCatalog): Promise<string | undefined>;
  /** Like `write`, but complete on return, for a catalog that would be lost if the process ended right away. */
  writeSync(serverId: string, key: string, catalog: StoredCatalog): string | undefined;
  /** Deletes all catalogs and failed starts of this server. */
  forget(serverId: string): Promise<void>;
  /** Deletes files unused for 30 days and temporary files left by interrupted writes. */
  prune(): Promise<void>;
}

interface CatalogCacheOptions {
  /** Parent folder; the catalogs have their own subfolder. */
  readonly folder: string;
  readonly now: () => number;
  /** Called at most once for each problem. */
  readonly onProblem: (message: string) => void;
}

export function openCatalogCache({ folder: parent, now, onProblem }: CatalogCacheOptions): CatalogCache {
  const folder = catalogFolder(parent);
  const reported = new Set<string>();
  /** Pending writes by file name, each with the newest catalog only. */
  const queuedWrites = new Map<string, QueuedWrite>();
  /** Tail of the work queue. Operations run one after another, so call order is disk order. */
  let working: Promise<void> = Promise.resolve();

  const report = (message: string) => {
    if (reported.has(message)) return;
    reported.add(message);
    onProblem(message);
  };

  const isUsable = (): boolean => {
    const why = findFolderProblem(folder);
    if (why !== undefined)
      report(`The catalog cache ${escapeInvisible(folder)} is not used: ${why}. Remove it or fix it.`);
    return why === undefined;
  };

  /** Cached result of one folder check: startup reads many files, and each file is checked as well. */
  let isReadable: boolean | undefined;

  const queue = <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    const done = working.then(work).catch((error: unknown) => {
      report(`The catalog cache ${escapeInvisible(folder)} cannot be written: ${describeErrno(error)}.`);
      return undefined;
    });
    working = done.then(() => undefined);
    return done;
  };

  const store = async (name: string, catalogId: CatalogId, next: QueuedWrite): Promise<string | undefined> => {
    // `forget` dropped this write, and a newer one may have replaced it.
    if (queuedWrites.get(name) !== next) return undefined;
    queuedWrites.delete(name);
    const parts = encodeCatalog(catalogId, next.catalog);
    if (parts.reduce((sum, { length }) => sum + length, 0) > MAX_CATALOG_BYTES) return undefined;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return isUsable() ? writeCatalogFile(join(folder, name), parts, now()) : undefined;
  };

  return {
    failures: openFailureCache({ folder, now }),
    isEmpty: () => !existsSync(folder),
    fileOf: (serverId, key) => join(folder, catalogFileName(serverId, key)),
    signature: (serverId, key) => readFileSignature(join(folder, catalogFileName(serverId, key))),
    read(serverId, key) {
      try {
        isReadable ??= isUsable();
        const bytes = isReadable ? readCacheFile(join(folder, catalogFileName(serverId, key)), now()) : undefined;
        return bytes && decodeCatalog({ serverId, key }, bytes);
      } catch {
        // Missing or unreadable: the catalog is fetched from the server instead.
        return undefined;
      }
    },
    write(serverId, key, catalog) {
      const name = catalogFileName(serverId, key);
      const queued = queuedWrites.get(name);
      const next: QueuedWrite = queued ?? { catalog, written: Promise.resolve(undefined) };
      next.catalog = catalog;
      queuedWrites.set(name, next);
      if (queued !== undefined) return queued.written;
      next.written = queue(() => store(name, { serverId, key }, next));
      return next.written;
    },
    writeSync(serverId, key, catalog) {
      try {
        const bytes = Buffer.concat(encodeCatalog({ serverId, key }, catalog));
        if (bytes.length > MAX_CATALOG_BYTES) return undefined;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        return isUsable() ? writeCatalogFileSync(join(folder, catalogFileName(serverId, key)), bytes) : undefined;
      } catch (error) {
        report(`The catalog cache ${escapeInvisible(folder)} cannot be written: ${describeErrno(error)}.`);
        return undefined;
      }
    },
    async forget(serverId) {
      const prefix = fileNamePrefix(serverId);
      for (const name of queuedWrites.keys()) if (name.startsWith(prefix)) queuedWrites.delete(name);
      await queue(async () => {
        if (isUsable()) await removeCatalogs(folder, prefix);
      });
    },
    async prune() {
      await queue(async () => {
        if (isUsable()) await pruneCatalogs(folder, now());
      });
    },
  };
}

/** A queued write. `catalog` may be replaced until the write runs. */
interface QueuedWrite {
  catalog: StoredCatalog;
  written: Promise<string | undefined>;
}

/** Writes a temporary file and renames it, so an interrupted write or a full disk leaves the old file intact. */
async function writeCatalogFile(file: string, parts: readonly Buffer[], nowMs: number): Promise<string | undefined> {
  const temporary = `${file}.${randomHex(6)}.tmp`;
  try {
    // `wx` creates the file and fails if anything exists at the path, for example a symlink.
    await writeFile(temporary, parts, { flag: 'wx', mode: 0o600 });
    await utimes(temporary, nowMs / 1000, nowMs / 1000);
    const { ino } = await stat(temporary, { bigint: true });
    await rename(temporary, file);
    const signature = readFileSignature(file);
    // Another process may already have replaced the file.
    return signature.split(' ')[1] === String(ino) ? signature : undefined;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {
      // The file was never created, or the next `prune` deletes it. The write error matters more.
    });
    throw error;
  }
}

/** Synchronous version of `writeCatalogFile`. */
function writeCatalogFileSync(file: string, bytes: Buffer): string | undefined {
  let inode: string | undefined;
  writeFileAtomic(file, bytes, {
    beforeRename(temporary) {
      inode = readFileSignature(temporary).split(' ')[1];
    },
  });
  const signature = readFileSignature(file);
  return signature.split(' ')[1] === inode ? signature : undefined;
}
