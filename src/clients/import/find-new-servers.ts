import type { Environment } from '../../config/files/folders.ts';
import { isOwnCodexServer } from '../../config/resolve/own-gateway.ts';
import { type ClientServers, openClientServers } from '../client-servers.ts';
import type { ClientId } from '../clients.ts';
import { type FoundServer, findServers } from './find-servers.ts';

/** Servers of one client that appeared since the last import. */
export interface NewServers {
  readonly client: ClientId;
  /** The name of the client that its users know. */
  readonly title: string;
  readonly names: readonly string[];
}

/** Finds the servers that clients have and that no import has seen. Starts nothing and ignores broken files. */
export async function findNewServers(environment: Environment): Promise<readonly NewServers[]> {
  const records = openClientServers(environment).readAll();
  const { files } = await findServers(environment);
  const byClient = new Map<ClientId, NewServers>();
  for (const server of files.flatMap((file) => file.servers)) {
    if (server.client === undefined || isOurs(server) || !isNewServer(server, records)) continue;
    const names = [...(byClient.get(server.client)?.names ?? []), server.name];
    byClient.set(server.client, { client: server.client, title: server.title, names: [...new Set(names)] });
  }
  return [...byClient.values()];
}

/** Returns whether `connect` may have written this server. It needs no import. */
function isOurs({ entry }: FoundServer): boolean {
  const { command, args } = entry;
  if (typeof command !== 'string' || !Array.isArray(args)) return false;
  return isOwnCodexServer({ command, args: args.map(String) });
}

/** Returns whether no import has seen this server. */
export function isNewServer(
  { client, name }: Pick<FoundServer, 'client' | 'name'>,
  records: Readonly<Record<string, ClientServers>>,
): boolean {
  const record = client !== undefined && Object.hasOwn(records, client) ? records[client] : undefined;
  return record?.seen.includes(name) !== true;
}
