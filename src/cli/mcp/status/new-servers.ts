import { existsSync } from 'node:fs';
import { programName } from '../../../base/program-name.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { clientServersFile } from '../../../clients/client-servers-file.ts';
import type { Environment } from '../../../config/files/folders.ts';

/** Names the servers that appeared in a client since it was last imported. Empty if there are none. */
export async function newServersText(environment: Environment): Promise<readonly string[]> {
  // Without an import, every server would be new, and reading the files of all clients takes time.
  if (!existsSync(clientServersFile(environment))) return [];
  const { findNewServers } = await import('../../../clients/import/find-new-servers.ts');
  const { openClientServers } = await import('../../../clients/client-servers.ts');
  try {
    const imported = Object.keys(openClientServers(environment).readAll());
    const found = (await findNewServers(environment)).filter(({ client }) => imported.includes(client));
    if (found.length === 0) return [];
    const places = found.map(({ title, names }) => `${names.map(quoteIfNeeded).join(', ')} in ${title}`);
    return [`New since the last import: ${places.join('; ')}. Next: ${programName()} import --new`];
  } catch {
    // A damaged record is reported by import. It says nothing about the servers that run.
    return [];
  }
}
