import { programName } from '../base/program-name.ts';
import type { Environment } from '../config/files/folders.ts';
import { openPrivateJson } from '../config/files/private-json.ts';
import { pick, readMembers, readOptional, readString, readStrings } from '../config/json/decode.ts';
import type { JsonValue } from '../config/json/json-value.ts';
import { clientServersFile } from './client-servers-file.ts';

/** Which of our servers a client had in its own config, or was given later. */
export interface ClientServers {
  /** Ids in our config of the servers that came from this client. */
  readonly imported: readonly string[];
  /** Ids that `switchboard share` added. */
  readonly shared: readonly string[];
  /** Names in the client's own config at the last import, to recognize new ones. */
  readonly seen: readonly string[];
  /** Ids in our config by the names in the client's own config for all projects. Without it, the names are the ids. */
  readonly names?: Readonly<Record<string, string>>;
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
    subject: 'The record of which servers each client sees',
    remedy: `Move it away, then run: ${programName()} import.`,
  });
  const readAll = (): Readonly<Record<string, ClientServers>> => {
    const root = json.read();
    if (root === undefined) return {};
    const listed = pick(root, 'clients');
    if (listed === undefined) throw json.damaged('"clients" is missing');
    return Object.fromEntries(readMembers(listed).map(({ key, value }) => [key, readClientServers(value)]));
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

export function readClientServers(value: JsonValue): ClientServers {
  const read = (key: string) => readOptional(value, readStrings, key) ?? [];
  const names = pick(value, 'names');
  const own = names === undefined ? {} : { names: readNames(names) };
  return { imported: read('imported'), shared: read('shared'), seen: read('seen'), ...own };
}

function readNames(value: JsonValue): Readonly<Record<string, string>> {
  return Object.fromEntries(readMembers(value).map((member) => [member.key, readString(member.value)]));
}

/** Returns the names in a client's own config of the servers with these ids in our config. */
export function ownNames({ imported, names }: ClientServers, ids: readonly string[]): readonly string[] {
  if (names === undefined) return imported.filter((id) => ids.includes(id));
  return Object.entries(names).flatMap(([name, id]) => (ids.includes(id) ? [name] : []));
}
