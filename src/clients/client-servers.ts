import type { Environment } from '../config/files/folders.ts';
import { openPrivateJson } from '../config/files/private-json.ts';
import { pick, readMembers, readOptional, readString, readStrings } from '../config/json/decode.ts';
import type { JsonValue } from '../config/json/json-value.ts';
import { clientServersFile } from './client-servers-file.ts';

/** Which of our servers a client had in its own config, or was given later. */
export interface ClientServers {
  /** Ids in our config of the servers that came from this client's config for all projects. */
  readonly imported: readonly string[];
  /** The id of each imported server by its names in the client's config, which may differ from the id. */
  readonly names: Readonly<Record<string, string>>;
  /** Ids that `switchboard share` added. */
  readonly shared: readonly string[];
  /** Names in the client's own config at the last import, to recognize new ones. */
  readonly seen: readonly string[];
}

export interface ClientServersStore {
  readonly file: string;
  /** Returns undefined for a client without a record, which sees all servers. */
  read(client: string): ClientServers | undefined;
  readAll(): Readonly<Record<string, ClientServers>>;
  /** Changes the record of one client while no other process does. Undefined removes it. */
  change(client: string, change: (before: ClientServers | undefined) => ClientServers | undefined): void;
}

/** Opens `clients.json` in the data folder. */
export function openClientServers(environment: Environment): ClientServersStore {
  const file = clientServersFile(environment);
  const json = openPrivateJson({
    file,
    version: 1,
    maxBytes: 1024 * 1024,
    subject: 'The servers of clients',
    remedy: 'Move it away, then run: switchboard import.',
  });
  const readAll = (): Readonly<Record<string, ClientServers>> => {
    const root = json.read();
    if (root === undefined) return {};
    const listed = pick(root, 'clients');
    if (listed === undefined) throw json.damaged('"clients" is missing');
    return Object.fromEntries(readMembers(listed).map(({ key, value }) => [key, readRecord(value)]));
  };
  return {
    file,
    readAll,
    read: (client) => {
      const all = readAll();
      return Object.hasOwn(all, client) ? all[client] : undefined;
    },
    change: (client, change) =>
      json.withLock(() => {
        const { [client]: before, ...others } = readAll();
        const after = change(before);
        json.write({ clients: after === undefined ? others : { ...others, [client]: after } });
      }),
  };
}

/** Returns the names under which a client has servers that our config now provides. */
export function providedNames({ imported, names }: ClientServers, provided: readonly string[]): readonly string[] {
  const ids = imported.filter((id) => provided.includes(id));
  return Object.keys(names).filter((name) => ids.includes(names[name] ?? ''));
}

function readRecord(value: JsonValue): ClientServers {
  const read = (key: string) => readOptional(value, readStrings, key) ?? [];
  const imported = read('imported');
  const named = readOptional(value, readMembers, 'names')?.map((member) => [member.key, readString(member.value)]);
  // Records of earlier versions have no names. Their servers are known by their ids only.
  const names = Object.fromEntries(named ?? imported.map((id) => [id, id]));
  return { imported, names, shared: read('shared'), seen: read('seen') };
}
