import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAppError } from '../../base/errors.ts';
import { describeErrno } from '../../base/files/errno.ts';
import { withFileLock } from '../../base/files/file-lock.ts';
import { dataFolder, type Environment, platformPath } from '../files/folders.ts';
import {
  damagedFile,
  type PrivateJson,
  readPrivateJson,
  storeFailed,
  writePrivateJson,
} from '../files/private-json.ts';
import { realPathOf } from '../files/real-path.ts';
import { pick, readList, readNonEmptyString, readObject, readString } from '../json/decode.ts';
import { childOf, type JsonValue } from '../json/json-value.ts';

/** What a person has trusted of one server whose tools are pinned, and what waits for it. */
export interface PinRecord {
  /** The real path of the config file in which the server stands; as it was written in records of older versions. */
  readonly file: string;
  readonly id: string;
  /** The hash of each trusted definition, by the server's own name of the tool. Has no prototype when it was read. */
  readonly tools: Readonly<Record<string, string>>;
  readonly pending: Readonly<Record<string, PendingTool>>;
}

/** A definition that nobody has trusted yet. */
export interface PendingTool {
  readonly hash: string;
  /** `new`, or what is different, on one line. */
  readonly difference: string;
}

/** A file is the same one by whichever path, through symbolic links or not, it is named. */
export interface PinStore {
  /**
   * Undefined when this server was never pinned. Throws `CONFIG_INVALID` for a store that cannot be understood: nothing
   * is trusted then.
   */
  read(file: string, id: string): PinRecord | undefined;
  /** The first record of this id in one of these files. Throws as `read` does. */
  readFirst(files: readonly string[], id: string): PinRecord | undefined;
  /** Replaces the record of this file and id, and keeps the others. */
  write(record: PinRecord): void;
  /** The same for a change of what is there: nobody else comes in between. Returns what was written. */
  update(file: string, id: string, change: (record: PinRecord | undefined) => PinRecord): PinRecord;
}

export function pinFile(environment: Environment): string {
  return platformPath(environment.platform).join(dataFolder(environment), 'pins.json');
}

export function openPinStore(environment: Environment): PinStore {
  const remedy = 'Remove it, and the tools that your pinned servers list next are trusted as they are.';
  const kind: PrivateJson = { file: pinFile(environment), version: 1, maxBytes: MAX_BYTES, subject: 'Pins', remedy };
  const realPath = (file: string) => realPathOf(file, environment.platform);
  const find = (records: readonly PinRecord[], file: string, id: string) => {
    const ofServer = records.filter((record) => record.id === id);
    const real = realPath(file);
    const exact = ofServer.find((record) => record.file === real);
    return exact ?? ofServer.find((record) => realPath(record.file) === real);
  };
  const update: PinStore['update'] = (file, id, change) =>
    withStoreLock(kind, () => {
      const records = readRecords(kind);
      const found = find(records, file, id);
      const at = found === undefined ? -1 : records.indexOf(found);
      const changed = { ...change(found), file: realPath(file) };
      records.splice(at === -1 ? records.length : at, 1, changed);
      writePrivateJson(kind, { servers: records });
      return changed;
    });
  return {
    read: (file, id) => find(readRecords(kind), file, id),
    readFirst(files, id) {
      const reals = new Set(files.map(realPath));
      return readRecords(kind).find((record) => record.id === id && reals.has(realPath(record.file)));
    },
    write: (record) => void update(record.file, record.id, () => record),
    update,
  };
}

/** A server may list ten thousand tools, and there may be some such servers. */
const MAX_BYTES = 32 * 1024 * 1024;

function withStoreLock<T>(kind: PrivateJson, work: () => T): T {
  try {
    mkdirSync(dirname(kind.file), { recursive: true, mode: 0o700 });
    return withFileLock(kind.file, work);
  } catch (error) {
    throw isAppError(error) ? error : storeFailed(kind, describeErrno(error), error);
  }
}

function readRecords(kind: PrivateJson): PinRecord[] {
  const root = readPrivateJson(kind);
  if (root === undefined) return [];
  const servers = pick(root, 'servers');
  if (servers === undefined) throw damagedFile(kind, 'it lacks a part');
  return readList(servers).map((value) => readRecord(kind, value));
}

function readRecord(kind: PrivateJson, value: JsonValue): PinRecord {
  const part = (holder: JsonValue, name: string): JsonValue => {
    const found = pick(holder, name);
    if (found === undefined) throw damagedFile(kind, 'an entry lacks a part');
    return found;
  };
  return {
    file: readNonEmptyString(part(value, 'file')),
    id: readNonEmptyString(part(value, 'id')),
    tools: readEach(part(value, 'tools'), readNonEmptyString),
    pending: readEach(part(value, 'pending'), (tool) => ({
      hash: readNonEmptyString(part(tool, 'hash')),
      difference: readString(part(tool, 'difference')),
    })),
  };
}

/** Without a prototype: a tool may be called like something that every object has. */
function readEach<T>(value: JsonValue, read: (found: JsonValue) => T): Readonly<Record<string, T>> {
  const record: Record<string, T> = Object.create(null);
  for (const name of Object.keys(readObject(value))) record[name] = read(childOf(value, name));
  return record;
}
