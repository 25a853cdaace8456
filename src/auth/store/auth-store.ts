import { dirname } from 'node:path';
import { sha256 } from '../../base/digest.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { dataFile, type Environment, platformPath } from '../../config/files/folders.ts';
import { openPrivateJson, type PrivateJson } from '../../config/files/private-json.ts';
import { pick, readObject } from '../../config/json/decode.ts';
import { childOf, type JsonValue } from '../../config/json/json-value.ts';
import { type AuthRecord, decodeRecord, encodeRecord } from './auth-record.ts';
import { createKeyedQueue } from './keyed-queue.ts';
import { refreshBusy, withRefreshLock } from './refresh-lock.ts';
import { applyUnsaved, type UnsavedTokens } from './unsaved-tokens.ts';

/**
 * Sign-ins of this user, in a file shared by all processes. Methods that read it throw `CONFIG_INVALID` if it is
 * damaged.
 */
export interface AuthStore {
  /**
   * Returns undefined if there is no record, or one for another URL. Cheap: rereads the file only if its signature has
   * changed.
   */
  read(serverId: string, url: string): AuthRecord | undefined;
  /** Returns the ids of all servers with stored tokens, whatever their URL. */
  signedInServers(): readonly string[];
  /** Returns why an existing record does not apply; undefined if there is none or it applies. */
  ignoredReason(serverId: string, url: string): string | undefined;
  /** Reads, changes and writes a record under the file lock, regardless of its URL. Returning undefined deletes it. */
  update(serverId: string, change: Change): void;
  /** Like `update`, but does not block the event loop while it waits for the lock. */
  updateAsync(serverId: string, change: Change): Promise<void>;
  /** Stores the tokens. If that fails, keeps them in memory, where `read` finds them, until `flushUnsaved` succeeds. */
  saveTokens(serverId: string, unsaved: UnsavedTokens): Promise<void>;
  /** Writes the tokens that `saveTokens` could not store, if any. Throws if that fails again. */
  flushUnsaved(serverId: string): Promise<void>;
  /** Runs one callback at a time for this server, across all processes of this user. Throws `BUSY` after a timeout. */
  runExclusive<T>(serverId: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when all `runExclusive` callbacks started by this process are done. Never rejects. */
  whenIdle(): Promise<void>;
  /** Returns a text that changes whenever the file may have changed. */
  signature(): string;
}

type Change = (record: AuthRecord | undefined) => AuthRecord | undefined;

export function authFile(environment: Environment): string {
  return dataFile(environment, 'mcp-auth.json');
}

export function openAuthStore(environment: Environment): AuthStore {
  const file = authFile(environment);
  const remedy = 'Remove it, then sign in again.';
  const authJson = openPrivateJson({ file, version: 1, maxBytes: MAX_BYTES, subject: 'The sign-in', remedy });
  const queue = createKeyedQueue();
  const unsavedByServer = new Map<string, UnsavedTokens>();
  const running = new Set<Promise<unknown>>();
  let known: { readonly signature: string; readonly root: JsonValue | undefined } | undefined;

  const readRoot = (): JsonValue | undefined => {
    const signature = readFileSignature(file);
    if (known?.signature !== signature) known = { signature, root: authJson.read() };
    return known.root;
  };

  const find = (serverId: string): AuthRecord | undefined => {
    const root = readRoot();
    return applyUnsaved(root && findRecord(authJson, root, serverId), unsavedByServer.get(serverId));
  };

  const updateAsync = (serverId: string, change: Change): Promise<void> =>
    authJson.withLockAsync(() => updateFile(authJson, serverId, change));

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
    signedInServers() {
      const root = readRoot();
      const stored = root === undefined ? [] : Object.keys(readObject(serversOf(authJson, root)));
      return [...new Set([...stored, ...unsavedByServer.keys()])].filter((id) => hasTokens(find(id)));
    },
    ignoredReason(serverId, url) {
      const record = find(serverId);
      if (record === undefined || record.url === url) return undefined;
      return record.url === undefined ? 'the stored sign-in has no URL' : 'its URL has changed since the last sign-in';
    },
    update: (serverId, change) => authJson.withLock(() => updateFile(authJson, serverId, change)),
    updateAsync,
    async saveTokens(serverId, unsaved) {
      unsavedByServer.set(serverId, unsaved);
      await flushUnsaved(serverId).catch(() => {
        // The tokens are used from memory, and the next refresh reports the error.
      });
    },
    flushUnsaved,
    async runExclusive(serverId, work) {
      authJson.makeFolder();
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

/** Returns the path of the lock file. An id that is unsuitable as a file name is hashed. */
function lockFile(file: string, serverId: string): string {
  const name = /^[\w-]{1,64}$/.test(serverId) ? serverId : sha256(serverId).slice(0, 32);
  return platformPath(process.platform).join(dirname(file), `.refresh-${name}`);
}

function findRecord(authJson: PrivateJson, root: JsonValue, serverId: string): AuthRecord | undefined {
  const servers = serversOf(authJson, root);
  const isStored = Object.hasOwn(readObject(servers), serverId);
  return isStored ? decodeRecord(childOf(servers, serverId)) : undefined;
}

function hasTokens(record: AuthRecord | undefined): boolean {
  return record?.accessToken !== undefined || record?.refreshToken !== undefined;
}

function updateFile(authJson: PrivateJson, serverId: string, change: Change): void {
  const root = authJson.read();
  const before = root && findRecord(authJson, root, serverId);
  const after = change(before);
  if (after === before) return;
  const servers = new Map(root === undefined ? [] : Object.entries(readObject(serversOf(authJson, root))));
  if (after === undefined) servers.delete(serverId);
  else servers.set(serverId, encodeRecord(after));
  // Use entries, because a server may be named like a member of `Object.prototype`.
  const rest = root === undefined ? {} : readObject(root);
  authJson.write({ ...rest, servers: Object.fromEntries(servers) });
}

function serversOf(authJson: PrivateJson, root: JsonValue): JsonValue {
  const servers = pick(root, 'servers');
  if (servers === undefined) throw authJson.damaged('it is incomplete');
  return servers;
}
