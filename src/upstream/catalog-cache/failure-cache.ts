import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, errorTable } from '../../base/errors.ts';
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

/** Why the last start of a server did not end with a list of its tools. */
export interface StartFailure {
  readonly code: ErrorCode;
  /** One line. */
  readonly message: string;
  /** It was recorded by an earlier run. */
  readonly isEarlier?: boolean;
  /** After so many seconds the server was given up on, although it was still starting. */
  readonly waitedSeconds?: number;
}

/** Nobody waits any longer for its first start, which is not over: it may be slow, and has not failed. */
export function isStillStarting({ code, isEarlier }: StartFailure): boolean {
  return code === 'TIMED_OUT' && isEarlier !== true;
}

/**
 * Failed starts on disk, beside the catalogs, so that no client waits twice for the same bad server. Nothing here throws:
 * without a record the server is waited for once more.
 */
export interface FailureCache {
  read(serverId: string, key: string): StartFailure | undefined;
  /** Done when it returns. */
  write(serverId: string, key: string, failure: StartFailure): void;
  remove(serverId: string, key: string): void;
  fileOf(serverId: string, key: string): string;
  /** Whether anything is kept of this server, under whatever key. Cheap: the folder is read once. */
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
        // There is none, or none that can be read.
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
        // The catalogs report a folder that cannot be written.
      }
    },
    remove(serverId, key) {
      try {
        rmSync(fileOf(serverId, key), { force: true });
      } catch {
        // The record says too little, not too much: the server is known by its catalog from now on.
      }
    },
  };
}

/** The file as it is now, for whoever depends on it. */
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
    // No folder: nothing was ever kept.
    return [];
  }
}

function decode(bytes: Buffer, owner: { readonly serverId: string; readonly key: string }): StartFailure | undefined {
  const record: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isObject(record)) return undefined;
  const { version, server, key, code, message } = record;
  if (version !== VERSION || server !== owner.serverId || key !== owner.key) return undefined;
  if (!isErrorCode(code) || typeof message !== 'string') return undefined;
  return { code, message: oneLine(message, MAX_MESSAGE_LENGTH), isEarlier: true };
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorTable, code);
}
