import { randomBytes } from 'node:crypto';
import { dataFile, type Environment } from '../files/folders.ts';
import { openPrivateJson, type PrivateJson } from '../files/private-json.ts';
import { pick, readList, readNonEmptyString, readOptional } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';

/** The content of trust.json. */
export interface TrustStore {
  /** The secret without which nobody can create a fingerprint, or guess the values behind one. */
  readonly key: Buffer;
  readonly records: readonly TrustRecord[];
}

export interface TrustRecord {
  /** The real path of the config file. */
  readonly file: string;
  /** The folder of the project in which a link to the file was found; undefined when no link leads to the file. */
  readonly folder?: string | undefined;
  readonly id: string;
  readonly fingerprint: string;
}

export function trustFile(environment: Environment): string {
  return dataFile(environment, 'trust.json');
}

/** Reads the store; undefined if it does not exist yet. Throws if it is damaged or has a newer version. */
export function readTrustStore(file: string): TrustStore | undefined {
  const trustJson = openTrustFile(file);
  const root = trustJson.read();
  if (root === undefined) return undefined;
  const [key, entries] = [pick(root, 'key'), pick(root, 'entries')];
  if (key === undefined || entries === undefined) throw trustJson.damaged('it is incomplete');
  const decoded = Buffer.from(readNonEmptyString(key), 'base64');
  if (decoded.length !== KEY_BYTES) throw trustJson.damaged('its key has the wrong length');
  return { key: decoded, records: readList(entries).map((entry) => readRecord(trustJson, entry)) };
}

/** Reads, changes and writes the store under a lock. Creates it if it does not exist. */
export function changeTrustStore(file: string, change: (store: TrustStore) => readonly TrustRecord[]): void {
  const trustJson = openTrustFile(file);
  trustJson.withLock(() => {
    const store = readTrustStore(file) ?? { key: randomBytes(KEY_BYTES), records: [] };
    trustJson.write({ key: store.key.toString('base64'), entries: change(store) });
  });
}

const KEY_BYTES = 32;

function openTrustFile(file: string): PrivateJson {
  const remedy = 'Remove it, then trust your projects again.';
  return openPrivateJson({ file, version: 1, maxBytes: 1024 * 1024, subject: 'Trust', remedy });
}

function readRecord(trustJson: PrivateJson, value: JsonValue): TrustRecord {
  const record = readTrustRecord(value);
  if (record === undefined) throw trustJson.damaged('an entry is incomplete');
  return record;
}

/** Reads a record; undefined if it is incomplete. */
export function readTrustRecord(value: JsonValue): TrustRecord | undefined {
  const [path, id, fingerprint] = [pick(value, 'file'), pick(value, 'id'), pick(value, 'fingerprint')];
  if (path === undefined || id === undefined || fingerprint === undefined) return undefined;
  const folder = readOptional(value, readNonEmptyString, 'folder');
  return {
    file: readNonEmptyString(path),
    ...(folder === undefined ? {} : { folder }),
    id: readNonEmptyString(id),
    fingerprint: readNonEmptyString(fingerprint),
  };
}
