import type { Environment } from '../../../config/files/folders.ts';

/** Returns the clients that use a server; undefined if no client is known. */
export type UsersOf = (serverId: string) => readonly string[] | undefined;

/** Reads which clients see which servers: those with a record of an import or share, and those that are connected. */
export async function openClientUsers(environment: Environment): Promise<UsersOf> {
  const [{ openClientServers }, { openConnections }, { visibleIds }] = await Promise.all([
    import('../../../clients/client-servers.ts'),
    import('../../../clients/connect/connections.ts'),
    import('../../../clients/server-view.ts'),
  ]);
  try {
    const records = openClientServers(environment).readAll();
    const connected = openConnections(environment)
      .readAll()
      .map(({ client }) => client);
    const known = [...new Set([...Object.keys(records), ...connected])];
    if (known.length === 0) return () => undefined;
    return (serverId) =>
      known.filter((client) => {
        const record = records[client];
        // A client without a record sees every server.
        return record === undefined || visibleIds(record).includes(serverId);
      });
  } catch {
    // A damaged record is reported by doctor, and by the commands that change it.
    return () => undefined;
  }
}
