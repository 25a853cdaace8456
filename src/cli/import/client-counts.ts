import { type ClientServers, openClientServers } from '../../clients/client-servers.ts';
import { findClient } from '../../clients/clients.ts';
import type { Findings } from '../../clients/import/find-servers.ts';
import { visibleIds } from '../../clients/server-view.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { countTools, type ToolCounts, toolsText, uncountedLines } from '../connect/tool-counts.ts';
import { loadEveryServer } from '../load-every-server.ts';

/** What a client sees after the import, once it is connected. */
export interface ClientCounts {
  readonly client: string;
  readonly sees: ToolCounts;
}

/** Counts the tools of each client in which servers were found, without disabled servers. The import must be written. */
export async function countClients({ files }: Findings, context: CommandContext): Promise<readonly ClientCounts[]> {
  const environment = environmentOf(context);
  const { servers: configured } = await loadEveryServer(context);
  const isOff = ({ verdict }: ConfiguredServer) => verdict.kind === 'disabled' && !verdict.isUntrusted;
  const off = new Set(configured.filter(isOff).map(({ id }) => id));
  const seen = (record: ClientServers) => visibleIds(record).filter((id) => !off.has(id));
  const records = openClientServers(environment).readAll();
  const found = new Set(files.filter(({ servers }) => servers.length > 0).map(({ client }) => client));
  return Object.entries(records)
    .filter(([client]) => [...found].some((one) => one === client))
    .map(([client, record]) => ({ client, sees: countTools(seen(record), environment) }));
}

/** Returns one line for each client, and how to count tools that are not known yet. */
export function clientLines(clients: readonly ClientCounts[], connected: ReadonlySet<string>): readonly string[] {
  const lines = clients.map(({ client, sees }) =>
    toolsText(client, sees, { subject: findClient(client)?.title ?? client, isConnected: connected.has(client) }),
  );
  return [...lines, ...uncountedLines(clients.map(({ sees }) => sees))];
}
