import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isErrorCode } from '../../base/error-table.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { isObject } from '../../wire/messages.ts';
import {
  failureFileName,
  fileNamePrefix,
  findFolderProblem,
  isFailureFileName,
  readCacheFile,
} from './cache-folder.ts';

/** Reason why the last start of a server produced no tool list. */
export interface StartFailure {
  readonly code: ErrorCode;
  /** Single line. */
  readonly message: string;
  /** Recorded by an earlier run. */
  readonly isEarlier?: boolean;
  /** Seconds after which the gateway stopped waiting while the server was still starting. */
  readonly waitedSeconds?: number;
}

/** Returns true if clients no longer wait for a first start that is still in progress: slow, but not failed. */
export function isStillStarting({ code, isEarlier }: StartFailure): boolean {
  return code === 'TIMED_OUT' && isEarlier !== true;
}

/**
 * Failed starts on disk, next to the catalogs, so that no client waits twice for the same broken server. No method
 * throws: without a record, clients wait for the server once more.
 */
export interface FailureCache {
  read(serverId: string, key: string): StartFailure | undefined;
  /** Synchronous: the record is on disk on return. */
  write(serverId: string, key: string, failure: StartFailure): void;
  remove(serverId: string, key: string): void;
  fileOf(serverId: string, key: string): string;
  /** Returns whether any failure of this server is stored, under any key. Cheap: reads the folder once. */
  mayHave(serverId: string): boolean;
}

interface FailureCacheOptions {
  readonly folder: string;
  readonly now: () => number;
}

export function openFailureCache({ folder, now }: FailureCacheOptions): FailureCache {
  const fileOf = (serverId: string, key: string) => join(folder, failureFileName(serverId, key));
  let names: readonly string[] | undefined;
  return {
    fileOf,
    mayHave(serverId) {
      names ??= failureNames(folder);
      const prefix = names.length === 0 ? '' : fileNamePrefix(serverId);
      return names.some((name) => name.startsWith(prefix));
    },
    read(serverId, key) {
      try {
        const bytes = findFolderProblem(folder) === undefined ? readCacheFile(fileOf(serverId, key), now()) : undefined;
        return bytes && decode(bytes, { serverId, key });
      } catch {
        // Missing or unreadable.
        return undefined;
      }
    },
    write(serverId, key, failure) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        if (findFolderProblem(folder) !== undefined) return;
        const record = { version: VERSION, server: serverId, key, at: now(), ...failure };
        writeFileAtomic(fileOf(serverId, key), JSON.stringify(record));
      } catch {
        // `CatalogCache` reports a folder that cannot be written.
      }
    },
    remove(serverId, key) {
      try {
        rmSync(fileOf(serverId, key), { force: true });
      } catch {
        // A leftover record does no harm: the server now has a catalog.
      }
    },
  };
}

/** Returns the failure file with its current signature, for callers whose data depends on it; undefined if absent. */
export function failureFile(cache: FailureCache, serverId: string, key: string) {
  const file = cache.fileOf(serverId, key);
  const signature = readFileSignature(file);
  return signature === 'absent' ? undefined : { file, signature };
}

const VERSION = 1;
const MAX_MESSAGE_LENGTH = 300;

function failureNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter(isFailureFileName);
  } catch {
    // No folder: nothing has been stored yet.
    return [];
  }
}

function decode(bytes: Buffer, owner: { readonly serverId: string; readonly key: string }): StartFailure | undefined {
  const record: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isObject(record)) return undefined;
  const { version, server, key, code, message } = record;
  if (version !== VERSION || server !== owner.serverId || key !== owner.key) return undefined;
  if (typeof code !== 'string' || !isErrorCode(code) || typeof message !== 'string') return undefined;
  return { code, message: oneLine(message, MAX_MESSAGE_LENGTH), isEarlier: true };
}
