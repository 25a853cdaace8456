import { openClientServers } from '../../../clients/client-servers.ts';
import { findClient } from '../../../clients/clients.ts';
import { openConnections } from '../../../clients/connect/connections.ts';
import { visibleIds } from '../../../clients/server-view.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { serverCommand } from '../../../config/next-command.ts';

/** The connected clients that will not see a server, and the command that shows it to them. */
export interface ShareHint {
  readonly hiddenFrom: readonly string[];
  readonly command: string;
  readonly text: string;
}

/** Returns undefined if every connected client will see the server. A client without a record sees all servers. */
export function shareHint(id: string, environment: Environment): ShareHint | undefined {
  const hiddenFrom = readHidingClients(id, environment);
  if (hiddenFrom.length === 0) return undefined;
  const command = serverCommand('share', id);
  const titles = hiddenFrom.map((client) => findClient(client)?.title ?? client);
  const verb = titles.length === 1 ? 'does' : 'do';
  const text = `${command} (${titles.join(', ')} ${verb} not see it yet)`;
  return { hiddenFrom, command, text };
}

function readHidingClients(id: string, environment: Environment): readonly string[] {
  try {
    const connected = new Set(
      openConnections(environment)
        .readAll()
        .map(({ client }) => client),
    );
    const records = openClientServers(environment);
    return [...connected].filter((client) => {
      const record = records.read(client);
      return record !== undefined && !visibleIds(record).includes(id);
    });
  } catch {
    // A damaged record is reported by doctor, and does not concern the entry that was written.
    return [];
  }
}
