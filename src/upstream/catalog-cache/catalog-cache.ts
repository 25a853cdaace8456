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

/** What a server offered when it was last seen. */
export interface StoredCatalog {
  /** The result of `initialize`, as JSON text. */
  readonly initializeResult: string;
  /** Pages: the bytes of JSON arrays, as the server wrote them and `scanMembers` or `JSON.parse` took them. */
  readonly lists: Readonly<Partial<Record<ListKind, readonly Buffer[]>>>;
}

/** Catalogs on disk. Whatever is wrong with it, the servers themselves can be asked: nothing here throws or rejects. */
export interface CatalogCache {
  /** Starts that failed, in the same folder. */
  readonly failures: FailureCache;
  /** Undefined when there is none, or none that is whole, ours and of our version. */
  read(serverId: string, key: string): StoredCatalog | undefined;
  /** Nothing was ever kept: nothing need be looked for. */
  isEmpty(): boolean;
  /** The file in which it is kept. */
  fileOf(serverId: string, key: string): string;
  /** As `signatureOf` says of its file: another one whenever somebody has written another catalog. */
  signature(serverId: string, key: string): string;
  /**
   * Of two writers the last wins, and a reader sees the one or the other. Resolves with the signature of the file when it
   * is the one that was written here, else undefined.
   */
  write(serverId: string, key: string, catalog: StoredCatalog): Promise<string | undefined>;
  /** The same, done when it returns: for a catalog that would be lost if we were ended in the next moment. */
  writeSync(serverId: string, key: string, catalog: StoredCatalog): string | undefined;
  /** Forgets all catalogs and failed starts of this server. */
  forget(serverId: string): Promise<void>;
  /** Deletes what nobody has used for 30 days, and what interrupted writers left. */
  prune(): Promise<void>;
}

interface CatalogCacheOptions {
  /** The catalogs lie in a folder of their own inside it. */
  readonly folder: string;
  readonly now: () => number;
  /** Called at most once for each problem. */
  readonly onProblem: (message: string) => void;
}

export function openCatalogCache({ folder: parent, now, onProblem }: CatalogCacheOptions): CatalogCache {
  const folder = catalogFolder(parent);
  const reported = new Set<string>();
  /** What is still to be written, by name of the file: the newest only. */
  const queuedWrites = new Map<string, QueuedWrite>();
  /** One thing after another, so that the order of calls is the order on disk. */
  let working: Promise<void> = Promise.resolve();

  const report = (message: string) => {
    if (reported.has(message)) return;
    reported.add(message);
    onProblem(message);
  };

  const isUsable = (): boolean => {
    const why = findFolderProblem(folder);
    if (why !== undefined)
      report(`The catalog cache ${escapeInvisible(folder)} is not used: ${why}. Remove it or correct it.`);
    return why === undefined;
  };

  /** Looked at once: a start reads many, and each file is looked at too. */
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
    // Forgotten meanwhile, and perhaps written again after that.
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
        // None, or none that can be read: the server will be asked.
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

/** Changes as long as its turn has not come. */
interface QueuedWrite {
  catalog: StoredCatalog;
  written: Promise<string | undefined>;
}

/** Beside the old one first: whoever is interrupted, or finds the disk full, leaves the old one as it is. */
async function writeCatalogFile(file: string, parts: readonly Buffer[], nowMs: number): Promise<string | undefined> {
  const temporary = `${file}.${randomHex(6)}.tmp`;
  try {
    // Made here and nowhere else: what stands there already, a link for example, is not written to.
    await writeFile(temporary, parts, { flag: 'wx', mode: 0o600 });
    await utimes(temporary, nowMs / 1000, nowMs / 1000);
    const { ino } = await stat(temporary, { bigint: true });
    await rename(temporary, file);
    const signature = readFileSignature(file);
    // Somebody else may have put another in its place already.
    return signature.split(' ')[1] === String(ino) ? signature : undefined;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {
      // It was never made, or the next pruning takes it; why the writing failed is what counts.
    });
    throw error;
  }
}

/** As `writeLater`, and done when it returns. */
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
