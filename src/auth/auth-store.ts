import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { sha256 } from '../base/digest.ts';
import { isAppError } from '../base/errors.ts';
import { pick, readObject } from '../config/decode.ts';
import { withFileLock } from '../config/file-lock.ts';
import { signatureOf } from '../config/file-signature.ts';
import { dataFolder, pathOf, type Surroundings } from '../config/folders.ts';
import { childOf, type JsonValue } from '../config/json-text.ts';
import { damaged, notStored, type PrivateJson, readPrivateJson, writePrivateJson } from '../config/private-json.ts';
import { errnoText } from '../config/read-bytes.ts';
import { type AuthRecord, decodeRecord, encodeRecord } from './record.ts';
import { refreshBusy, withRefreshLock } from './refresh-lock.ts';
import { createTurns } from './turns.ts';

/** The sign-ins of this user, in a file that all processes share. All but `stamp` throw `CONFIG_INVALID` for a bad one. */
export interface AuthStore {
  /** Undefined: none, or it was made for another URL. Cheap: reads the file again only when its stamp changed. */
  read(serverId: string, url: string): AuthRecord | undefined;
  /** Why there is a record and it does not count; undefined when there is none, or it does. */
  whyIgnored(serverId: string, url: string): string | undefined;
  /** Read, change, write under the file's lock; undefined deletes. Sees a record of whatever URL. */
  update(serverId: string, change: (record: AuthRecord | undefined) => AuthRecord | undefined): void;
  /** One at a time for this server, across all processes of this user. Throws `BUSY` when it takes too long. */
  exclusively<T>(serverId: string, work: () => Promise<T>): Promise<T>;
  /** Another text whenever the file may have changed. */
  stamp(): string;
}

export function authFile(surroundings: Surroundings): string {
  return pathOf(surroundings.platform).join(dataFolder(surroundings), 'mcp-auth.json');
}

export function openAuthStore(surroundings: Surroundings): AuthStore {
  const file = authFile(surroundings);
  const remedy = 'Remove it, and sign in again.';
  const kind: PrivateJson = { file, version: 1, maxBytes: MAX_BYTES, subject: 'The sign-in', remedy };
  const turns = createTurns();
  let known: { readonly stamp: string; readonly root: JsonValue | undefined } | undefined;

  const find = (serverId: string): AuthRecord | undefined => {
    const stamp = signatureOf(file);
    if (known?.stamp !== stamp) known = { stamp, root: readPrivateJson(kind) };
    return known.root && findRecord(kind, known.root, serverId);
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
      stored(kind, () => withFileLock(file, () => updateFile(kind, serverId, change)));
    },
    async exclusively(serverId, work) {
      const lock = lockFile(file, serverId);
      const locked = () => withRefreshLock(lock, work, MAX_WAIT_MS);
      stored(kind, () => {});
      return turns.take(lock, { work: locked, maxWaitMs: MAX_WAIT_MS, tooLong: () => refreshBusy(lock) });
    },
    stamp: () => signatureOf(file),
  };
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_WAIT_MS = 30_000;

/** With the folder made, and with what the system says against it told as ours. */
function stored(kind: PrivateJson, work: () => void): void {
  try {
    mkdirSync(dirname(kind.file), { recursive: true, mode: 0o700 });
    work();
  } catch (error) {
    throw isAppError(error) ? error : notStored(kind, errnoText(error), error);
  }
}

/** An id need not be fit for the name of a file. */
function lockFile(file: string, serverId: string): string {
  const name = /^[\w-]{1,64}$/.test(serverId) ? serverId : sha256(serverId).slice(0, 32);
  return pathOf(process.platform).join(dirname(file), `.refresh-${name}`);
}

function findRecord(kind: PrivateJson, root: JsonValue, serverId: string): AuthRecord | undefined {
  const servers = serversOf(kind, root);
  const isThere = Object.hasOwn(readObject(servers), serverId);
  return isThere ? decodeRecord(childOf(servers, serverId)) : undefined;
}

function updateFile(
  kind: PrivateJson,
  serverId: string,
  change: (record: AuthRecord | undefined) => AuthRecord | undefined,
): void {
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
  if (servers === undefined) throw damaged(kind, 'it lacks a part');
  return servers;
}
