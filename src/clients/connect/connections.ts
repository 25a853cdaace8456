import { dataFolder, type Environment, platformPath } from '../../config/files/folders.ts';
import { openPrivateJson } from '../../config/files/private-json.ts';
import { pick, readList, readOneOf, readOptional, readString, readStrings } from '../../config/json/decode.ts';
import type { JsonValue } from '../../config/json/json-value.ts';
import { CLIENT_IDS, type ClientId } from '../clients.ts';
import type { Edit } from './edits.ts';

/** Everything that is needed to undo our changes of one file. */
export interface Connection {
  readonly client: ClientId;
  readonly file: string;
  readonly edits: readonly Edit[];
  readonly containers: readonly (readonly string[])[];
  /** Digest of the file as we wrote it. As long as it matches, the backup is what the user had. */
  readonly written: string;
  /** Name of the copy of the file without our edits; undefined if we created the file. */
  readonly backup?: string;
  /** The first folder that we created for the file. */
  readonly createdFolder?: string;
}

export interface ConnectionStore {
  readonly file: string;
  /** Holds the backups. */
  readonly backupFolder: string;
  readAll(): readonly Connection[];
  /** Runs `work` while no other process changes a connection. */
  withLock<T>(work: () => T): T;
  /** Stores the connection of one file. Only inside `withLock`. */
  save(connection: Connection): void;
  /** Only inside `withLock`. */
  remove(connection: Pick<Connection, 'client' | 'file'>): void;
}

/** Opens `connections.json` in the data folder. */
export function openConnections(environment: Environment): ConnectionStore {
  const { join } = platformPath(environment.platform);
  const folder = dataFolder(environment);
  const json = openPrivateJson({
    file: join(folder, 'connections.json'),
    version: 1,
    maxBytes: 16 * 1024 * 1024,
    subject: 'The record of connected clients',
    remedy: `Copies of the changed files are in ${join(folder, 'backups')}.`,
  });
  const readAll = (): readonly Connection[] => {
    const root = json.read();
    if (root === undefined) return [];
    const listed = pick(root, 'connections');
    if (listed === undefined) throw json.damaged('"connections" is missing');
    return readList(listed).map(readConnection);
  };
  const others = ({ client, file }: Pick<Connection, 'client' | 'file'>) =>
    readAll().filter((one) => one.client !== client || one.file !== file);
  return {
    file: json.file,
    backupFolder: join(folder, 'backups'),
    readAll,
    withLock: json.withLock,
    save: (connection) => json.write({ connections: [...others(connection), connection] }),
    remove: (connection) => json.write({ connections: others(connection) }),
  };
}

export function readConnection(value: JsonValue): Connection {
  const read = (key: string) => pickRequired(value, key);
  const backup = readOptional(value, readString, 'backup');
  const createdFolder = readOptional(value, readString, 'createdFolder');
  return {
    client: readOneOf(read('client'), CLIENT_IDS),
    file: readString(read('file')),
    edits: readList(read('edits')).map(readEdit),
    containers: readList(read('containers')).map(readStrings),
    written: readString(read('written')),
    ...(backup === undefined ? {} : { backup }),
    ...(createdFolder === undefined ? {} : { createdFolder }),
  };
}

function readEdit(value: JsonValue): Edit {
  const kind = readOneOf(pickRequired(value, 'kind'), ['entry', 'switch', 'listed', 'moved']);
  const path = readStrings(pickRequired(value, 'path'));
  if (kind === 'listed') return { kind, path, item: readString(pickRequired(value, 'item')) };
  const written = pick(value, 'value')?.content;
  if (kind === 'moved') return { kind, path, value: written };
  const previous = pick(value, 'previous')?.content;
  return { kind, path, value: written, ...(previous === undefined ? {} : { previous }) };
}

/** The decoder of a missing value reports the object that lacks it. */
function pickRequired(value: JsonValue, key: string): JsonValue {
  return pick(value, key) ?? { ...value, content: undefined };
}
