import { openClientServers } from '../../clients/client-servers.ts';
import { findClient } from '../../clients/clients.ts';
import type { Findings } from '../../clients/import/find-servers.ts';
import { visibleIds } from '../../clients/server-view.ts';
import type { Environment } from '../../config/files/folders.ts';
import { countTools, type ToolCounts, toolsText } from '../connect/tool-counts.ts';

/** What a client sees after the import, once it is connected. */
export interface ClientCounts {
  readonly client: string;
  readonly sees: ToolCounts;
}

/** Counts the tools of each client in which servers were found. The import must be written. */
export function countClients({ files }: Findings, environment: Environment): readonly ClientCounts[] {
  const records = openClientServers(environment).readAll();
  const found = new Set(files.filter(({ servers }) => servers.length > 0).map(({ client }) => client));
  return Object.entries(records)
    .filter(([client]) => [...found].some((one) => one === client))
    .map(([client, record]) => ({ client, sees: countTools(visibleIds(record), environment) }));
}

/** Returns one line for each client. */
export function clientLines(clients: readonly ClientCounts[]): readonly string[] {
  return clients.map(({ client, sees }) => `${findClient(client)?.title ?? client}: ${toolsText(client, sees)}`);
}
