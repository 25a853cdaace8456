import { dataFile, type Environment } from '../files/folders.ts';
import { openPrivateJson, type PrivateJson } from '../files/private-json.ts';
import { realPathOf } from '../files/real-path.ts';
import { pick, readList, readNonEmptyString, readObject, readString } from '../json/decode.ts';
import { childOf, type JsonValue } from '../json/json-value.ts';

/** The trusted tools of one pinned server, and those that are pending review. */
export interface PinRecord {
  /** The real path of the config file that defines the server; records of older versions hold the path as written. */
  readonly file: string;
  readonly id: string;
  /**
   * The hash of each trusted definition, by the server's own tool name. Has no prototype when it was read from the
   * store.
   */
  readonly tools: Readonly<Record<string, string>>;
  readonly pending: Readonly<Record<string, PendingTool>>;
}

/** A tool definition that is not trusted yet. */
export interface PendingTool {
  readonly hash: string;
  /** `new`, or the changes, on one line. */
  readonly difference: string;
}

/** A store of pinned tools. All paths that lead to one file, through symbolic links or not, identify the same file. */
export interface PinStore {
  /**
   * Returns undefined if this server was never pinned. Throws `CONFIG_INVALID` for a store that cannot be understood:
   * nothing is trusted then.
   */
  read(file: string, id: string): PinRecord | undefined;
  /** Returns the first record of this id in one of these files. Throws as `read` does. */
  readFirst(files: readonly string[], id: string): PinRecord | undefined;
  /** Replaces the record of this file and id, and keeps the others. */
  write(record: PinRecord): void;
  /** Changes that record under a lock, so that no other process interferes. Returns the written record. */
  update(file: string, id: string, change: (record: PinRecord | undefined) => PinRecord): PinRecord;
  /** Gives the record of this file and id another id, and replaces a record of that id. */
  rename(file: string, id: string, to: string): void;
}

export function pinFile(environment: Environment): string {
  return dataFile(environment, 'pins.json');
}

export function openPinStore(environment: Environment): PinStore {
  const remedy = 'Remove it. Pinned servers then trust the tools that they list next.';
  const pins = openPrivateJson({
    file: pinFile(environment),
    version: 1,
    maxBytes: MAX_BYTES,
    subject: 'Pins',
    remedy,
  });
  const realPath = (file: string) => realPathOf(file, environment.platform);
  const find = (records: readonly PinRecord[], file: string, id: string) => {
    const ofServer = records.filter((record) => record.id === id);
    const real = realPath(file);
    const exact = ofServer.find((record) => record.file === real);
    return exact ?? ofServer.find((record) => realPath(record.file) === real);
  };
  const update: PinStore['update'] = (file, id, change) =>
    pins.withLock(() => {
      const records = readRecords(pins);
      const found = find(records, file, id);
      const at = found === undefined ? -1 : records.indexOf(found);
      const changed = { ...change(found), file: realPath(file) };
      records.splice(at === -1 ? records.length : at, 1, changed);
      pins.write({ servers: records });
      return changed;
    });
  return {
    read: (file, id) => find(readRecords(pins), file, id),
    readFirst(files, id) {
      const reals = new Set(files.map(realPath));
      return readRecords(pins).find((record) => record.id === id && reals.has(realPath(record.file)));
    },
    write: (record) => void update(record.file, record.id, () => record),
    update,
    rename: (file, id, to) =>
      pins.withLock(() => {
        const records = readRecords(pins);
        const [found, replaced] = [find(records, file, id), find(records, file, to)];
        const others = records.filter((record) => record !== replaced);
        pins.write({ servers: others.map((record) => (record === found ? { ...record, id: to } : record)) });
      }),
  };
}

/** A server may list ten thousand tools, and a user may have several such servers. */
const MAX_BYTES = 32 * 1024 * 1024;

function readRecords(pins: PrivateJson): PinRecord[] {
  const root = pins.read();
  if (root === undefined) return [];
  const servers = pick(root, 'servers');
  if (servers === undefined) throw pins.damaged('it is incomplete');
  return readList(servers).map((value) => readRecord(pins, value));
}

function readRecord(pins: PrivateJson, value: JsonValue): PinRecord {
  const part = (holder: JsonValue, name: string): JsonValue => {
    const found = pick(holder, name);
    if (found === undefined) throw pins.damaged('an entry is incomplete');
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

/** Reads into an object without a prototype: a tool may have the name of a built-in property. */
function readEach<T>(value: JsonValue, read: (found: JsonValue) => T): Readonly<Record<string, T>> {
  const record: Record<string, T> = Object.create(null);
  for (const name of Object.keys(readObject(value))) record[name] = read(childOf(value, name));
  return record;
}
