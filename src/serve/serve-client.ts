import { runUntilClosed } from './connection-lifecycle.ts';
import type { Transport } from './fronts/transport.ts';
import type { ServedClient } from './served-client.ts';
import { openServedConnection } from './served-connection.ts';
import type { Server } from './server.ts';

/** Serves one client over one transport, in whichever era it speaks, until it disconnects. */
export function serveClient(server: Server, transport: Transport): Promise<void> {
  return serveConnection(server, transport, () => {});
}

/** Like `serveClient`, and passes on the client before its first message. */
export async function serveConnection(
  server: Server,
  transport: Transport,
  onClient: (client: ServedClient) => void,
): Promise<void> {
  const connection = openServedConnection(server, { send: (text) => transport.send(text) });
  onClient(connection.client);
  await runUntilClosed(transport, connection.peer, connection.disconnect);
  connection.close();
}
