import { AppError } from '../base/errors.ts';
import { createPeer } from '../wire/rpc/peer.ts';
import { runUntilClosed } from './connection-lifecycle.ts';
import { carriesEnvelope } from './eras/envelope.ts';
import { createLegacyEra } from './eras/legacy.ts';
import { createModernEra, type ModernEra } from './eras/modern.ts';
import type { Transport } from './fronts/transport.ts';
import { createConnection, type ServedClient } from './served-client.ts';
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
  if (server?.catalog === undefined) throw new AppError('USAGE', 'Pass a server that createServer returned.');
  const connection = createConnection({
    notify: (method, params) => peer.notify(method, params),
    request: (method, params, options) => peer.request(method, params, options),
  });
  onClient(connection.client);
  const legacy = createLegacyEra(server, connection);
  let modern: ModernEra | undefined;
  let isModern = false;

  /** Creates the modern era on first use: most clients never need it, and creating it would slow down every start. */
  const openModern = (): ModernEra => {
    modern ??= createModernEra(server, connection);
    return modern;
  };

  const peer = createPeer({
    send: (text) => transport.send(text),
    onRequest(request) {
      if (carriesEnvelope(request.params)) isModern = true;
      else if (request.method === 'initialize') isModern = false;
      // Once a client has used the modern era, a request without an envelope is an error, which the modern era reports.
      const era = isModern || request.method === 'server/discover' ? openModern() : legacy;
      return era.request(request);
    },
    onNotification(method, _, request) {
      legacy.notification(method);
      // A tool call sent as a notification still runs, without a response.
      return method === 'tools/call' ? legacy.request(request) : undefined;
    },
  });

  const stopListening = server.changes.listen({
    toolsChanged() {
      legacy.toolsChanged();
      modern?.toolsChanged();
    },
    promptsChanged() {
      legacy.promptsChanged();
      modern?.promptsChanged();
    },
    resourcesChanged() {
      legacy.resourcesChanged();
      modern?.resourcesChanged();
    },
    resourceUpdated(uri) {
      legacy.resourceUpdated(uri);
      modern?.resourceUpdated(uri);
    },
  });
  await runUntilClosed(transport, peer, (reason) => {
    connection.disconnect(reason);
    modern?.disconnect(reason);
  });
  stopListening();
}
