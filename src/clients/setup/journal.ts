import { rmSync } from 'node:fs';
import { programName } from '../../base/program-name.ts';
import { dataFile, type Environment } from '../../config/files/folders.ts';
import { openPrivateJson } from '../../config/files/private-json.ts';
import {
  pick,
  readList,
  readMembers,
  readOneOf,
  readOptional,
  readString,
  readStrings,
} from '../../config/json/decode.ts';
import type { JsonValue } from '../../config/json/json-value.ts';
import type { FileTrust } from '../../config/trust/restore-trust.ts';
import { readTrustRecord } from '../../config/trust/trust-store.ts';
import { type ClientServers, readClientServers } from '../client-servers.ts';
import { CLIENT_IDS, type ClientId } from '../clients.ts';
import { removeHalfWritten } from './half-written.ts';

/**
 * Everything that `switchboard setup` did and that `switchboard setup --undo` has to reverse. A step is recorded before
 * it is taken, so that undo also works if setup was killed.
 */
export interface SetupJournal {
  /** Our own files that did not exist before. Undo removes those that contain nothing afterward. */
  readonly created: readonly string[];
  readonly config?: ConfigChange;
  /** Digests of the values that were stored, by variable. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The earlier records of clients. Undefined if there was none. */
  readonly records: readonly { readonly client: ClientId; readonly before: ClientServers | undefined }[];
  readonly connected: readonly ClientId[];
  /** The clients that were connected before the import. Undefined without an import. */
  readonly connectedBefore?: readonly ClientId[];
  /** Config files of projects that were trusted, with the earlier trust in them. */
  readonly trusted: readonly FileTrust[];
  /** Ids of the servers that the user signed in to. */
  readonly signIns: readonly string[];
}

/** The import into our own config. */
export interface ConfigChange {
  readonly file: string;
  /** The earlier content. Undefined if there was no file. */
  readonly before?: string;
  /** Digest of the file as setup left it. As long as it matches, nothing else has changed the file. */
  readonly written?: string;
  /** Digests of the added entries, by id. */
  readonly servers: Readonly<Record<string, string>>;
}

export interface SetupJournalStore {
  readonly file: string;
  /** Returns undefined if setup has changed nothing. */
  read(): SetupJournal | undefined;
  change(change: (journal: SetupJournal) => SetupJournal): void;
  /** Removes the file. */
  remove(): void;
}

const EMPTY: SetupJournal = { created: [], secrets: {}, records: [], connected: [], trusted: [], signIns: [] };

/** Returns whether there is nothing to undo. */
export function isEmptyJournal(journal: SetupJournal = EMPTY): boolean {
  const { config, secrets, records, connected, trusted, signIns } = journal;
  const lists = [Object.keys(secrets), records, connected, trusted, signIns];
  return config === undefined && lists.every((list) => list.length === 0);
}

/** Opens `setup.json` in the data folder. */
export function openSetupJournal(environment: Environment): SetupJournalStore {
  const json = openPrivateJson({
    file: dataFile(environment, 'setup.json'),
    version: 1,
    maxBytes: 16 * 1024 * 1024,
    subject: 'The setup record',
    remedy: `To disconnect clients without it, run: ${programName()} disconnect.`,
  });
  const read = () => {
    const root = json.read();
    return root === undefined ? undefined : readJournal(root);
  };
  return {
    file: json.file,
    read,
    change: (change) => json.withLock(() => json.write({ ...change(read() ?? EMPTY) })),
    remove: () =>
      json.withLock(() => {
        rmSync(json.file, { force: true });
        removeHalfWritten(json.file);
      }),
  };
}

function readJournal(root: JsonValue): SetupJournal {
  const config = readOptional(root, readConfigChange, 'config');
  const readClients = (value: JsonValue) => readList(value).map((client) => readOneOf(client, CLIENT_IDS));
  const connectedBefore = readOptional(root, readClients, 'connectedBefore');
  const list = <T>(key: string, read: (value: JsonValue) => T) =>
    readOptional(root, (found) => readList(found).map(read), key) ?? [];
  return {
    created: list('created', readString),
    ...(config === undefined ? {} : { config }),
    secrets: readOptional(root, readDigests, 'secrets') ?? {},
    records: list('records', (value) => ({
      client: readOneOf(required(value, 'client'), CLIENT_IDS),
      before: readOptional(value, readClientServers, 'before'),
    })),
    connected: readOptional(root, readClients, 'connected') ?? [],
    ...(connectedBefore === undefined ? {} : { connectedBefore }),
    trusted: list('trusted', readFileTrust),
    signIns: readOptional(root, readStrings, 'signIns') ?? [],
  };
}

function readConfigChange(value: JsonValue): ConfigChange {
  const before = readOptional(value, readString, 'before');
  const written = readOptional(value, readString, 'written');
  return {
    file: readString(required(value, 'file')),
    ...(before === undefined ? {} : { before }),
    ...(written === undefined ? {} : { written }),
    servers: readDigests(required(value, 'servers')),
  };
}

function readFileTrust(value: JsonValue): FileTrust {
  const folder = readOptional(value, readString, 'folder');
  return {
    file: readString(required(value, 'file')),
    ...(folder === undefined ? {} : { folder }),
    records: readList(required(value, 'records')).flatMap((record) => readTrustRecord(record) ?? []),
  };
}

function readDigests(value: JsonValue): Readonly<Record<string, string>> {
  return Object.fromEntries(readMembers(value).map((member) => [member.key, readString(member.value)]));
}

/** The decoder of a missing value reports the object that lacks it. */
function required(value: JsonValue, key: string): JsonValue {
  return pick(value, key) ?? { ...value, content: undefined };
}
