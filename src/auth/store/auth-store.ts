import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { sha256 } from '../../base/digest.ts';
import { type AppError, isAppError } from '../../base/errors.ts';
import { describeErrno } from '../../base/files/errno.ts';
import { withFileLock, withFileLockAsync } from '../../base/files/file-lock.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { dataFolder, type Environment, platformPath } from '../../config/files/folders.ts';
import {
  damagedFile,
  type PrivateJson,
  readPrivateJson,
  storeFailed,
  writePrivateJson,
} from '../../config/files/private-json.ts';
import { pick, readObject } from '../../config/json/decode.ts';
import { childOf, type JsonValue } from '../../config/json/json-value.ts';
import { type AuthRecord, decodeRecord, encodeRecord } from './auth-record.ts';
import { createKeyedQueue } from './keyed-queue.ts';
import { refreshBusy, withRefreshLock } from './refresh-lock.ts';
import { applyUnsaved, type UnsavedTokens } from './unsaved-tokens.ts';

/** The sign-ins of this user, in a file that all processes share. All but `stamp` throw `CONFIG_INVALID` for a bad one. */
export interface AuthStore {
  /** Undefined: none, or it was made for another URL. Cheap: reads the file again only when its stamp changed. */
  read(serverId: string, url: string): AuthRecord | undefined;
  /** Why there is a record and it does not count; undefined when there is none, or it does. */
  whyIgnored(serverId: string, url: string): string | undefined;
  /** Read, change, write under the file's lock; undefined deletes. Sees a record of whatever URL. */
  update(serverId: string, change: Change): void;
  /** As `update`, for a process that serves others: while it waits for the lock, they are served. */
  updateAsync(serverId: string, change: Change): Promise<void>;
  /** Stores them, or else keeps them in this process: `read` gives them, until `settle` has written them. */
  saveTokens(serverId: string, unwritten: UnsavedTokens): Promise<void>;
  /** Writes what `keep` could not, if there is anything. Throws when that still cannot be done. */
  flushUnsaved(serverId: string): Promise<void>;
  /** One at a time for this server, across all processes of this user. Throws `BUSY` when it takes too long. */
  runExclusive<T>(serverId: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when every `exclusively` callback that this process has started is done. Never rejects. */
  whenIdle(): Promise<void>;
  /** Another text whenever the file may have changed. */
  signature(): string;
}

type Change = (record: AuthRecord | undefined) => AuthRecord | undefined;

export function authFile(environment: Environment): string {
  return platformPath(environment.platform).join(dataFolder(environment), 'mcp-auth.json');
}

export function openAuthStore(environment: Environment): AuthStore {
  const file = authFile(environment);
  const remedy = 'Remove it, and sign in again.';
  const kind: PrivateJson = { file, version: 1, maxBytes: MAX_BYTES, subject: 'The sign-in', remedy };
  const queue = createKeyedQueue();
  const unsavedByServer = new Map<string, UnsavedTokens>();
  const running = new Set<Promise<unknown>>();
  let known: { readonly stamp: string; readonly root: JsonValue | undefined } | undefined;

  const find = (serverId: string): AuthRecord | undefined => {
    const stamp = readFileSignature(file);
    if (known?.stamp !== stamp) known = { stamp, root: readPrivateJson(kind) };
    return applyUnsaved(known.root && findRecord(kind, known.root, serverId), unsavedByServer.get(serverId));
  };

  const updateAsync = async (serverId: string, change: Change): Promise<void> => {
    try {
      makeFolder(kind);
      await withFileLockAsync(file, () => updateFile(kind, serverId, change));
    } catch (error) {
      throw toStoreError(kind, error);
    }
  };

  const flushUnsaved = async (serverId: string): Promise<void> => {
    const unsaved = unsavedByServer.get(serverId);
    if (unsaved === undefined) return;
    const isUnchanged = () => unsavedByServer.get(serverId) === unsaved;
    await updateAsync(serverId, (stored) => (isUnchanged() ? applyUnsaved(stored, unsaved) : stored));
    if (isUnchanged()) unsavedByServer.delete(serverId);
  };

  return {
    read(serverId, url) {
      const record = find(serverId);
      return record?.url === url ? record : undefined;
    },
    whyIgnored(serverId, url) {
      const record = find(serverId);
      if (record === undefined || record.url === url) return undefined;
      return record.url === undefined ? 'the stored sign-in names no URL' : 'its URL changed since the last sign-in';
    },
    update(serverId, change) {
      try {
        makeFolder(kind);
        withFileLock(file, () => updateFile(kind, serverId, change));
      } catch (error) {
        throw toStoreError(kind, error);
      }
    },
    updateAsync,
    async saveTokens(serverId, unsaved) {
      unsavedByServer.set(serverId, unsaved);
      await flushUnsaved(serverId).catch(() => {
        // They are used from here, and whoever renews them the next time is told.
      });
    },
    flushUnsaved,
    async runExclusive(serverId, work) {
      makeFolder(kind);
      const lock = lockFile(file, serverId);
      const begin = () => {
        running.add(whole);
        return work();
      };
      const locked = () => withRefreshLock(lock, begin, MAX_WAIT_MS);
      const whole = queue.run(lock, { work: locked, maxWaitMs: MAX_WAIT_MS, timeoutError: () => refreshBusy(lock) });
      return whole.finally(() => running.delete(whole));
    },
    async whenIdle() {
      await Promise.allSettled(running);
    },
    signature: () => readFileSignature(file),
  };
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_WAIT_MS = 30_000;

function makeFolder(kind: PrivateJson): void {
  try {
    mkdirSync(dirname(kind.file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toStoreError(kind, error);
  }
}

/** What the system says against it, told as ours. */
function toStoreError(kind: PrivateJson, error: unknown): AppError {
  return isAppError(error) ? error : storeFailed(kind, describeErrno(error), error);
}

/** An id need not be fit for the name of a file. */
function lockFile(file: string, serverId: string): string {
  const name = /^[\w-]{1,64}$/.test(serverId) ? serverId : sha256(serverId).slice(0, 32);
  return platformPath(process.platform).join(dirname(file), `.refresh-${name}`);
}

function findRecord(kind: PrivateJson, root: JsonValue, serverId: string): AuthRecord | undefined {
  const servers = serversOf(kind, root);
  const isThere = Object.hasOwn(readObject(servers), serverId);
  return isThere ? decodeRecord(childOf(servers, serverId)) : undefined;
}

function updateFile(kind: PrivateJson, serverId: string, change: Change): void {
  const root = readPrivateJson(kind);
  const before = root && findRecord(kind, root, serverId);
  const after = change(before);
  if (after === before) return;
  const servers = new Map(root === undefined ? [] : Object.entries(readObject(serversOf(kind, root))));
  if (after === undefined) servers.delete(serverId);
  else servers.set(serverId, encodeRecord(after));
  // Entries, because a server may be called like something that every object has.
  const rest = root === undefined ? {} : readObject(root);
  writePrivateJson(kind, { ...rest, servers: Object.fromEntries(servers) });
}

function serversOf(kind: PrivateJson, root: JsonValue): JsonValue {
  const servers = pick(root, 'servers');
  if (servers === undefined) throw damagedFile(kind, 'it lacks a part');
  return servers;
}
