import { AppError } from '../base/errors.ts';
import { createPeer } from '../wire/rpc/peer.ts';
import { runUntilClosed } from './connection-lifecycle.ts';
import { carriesEnvelope } from './eras/envelope.ts';
import { createLegacyEra } from './eras/legacy.ts';
import { createModernEra, type ModernEra } from './eras/modern.ts';
import type { Transport } from './fronts/transport.ts';
import { watchResources } from './resources/resource-changes.ts';
import { createConnection } from './served-client.ts';
import type { Server } from './server.ts';

/** Serves one client over one transport, in whichever era it speaks, until it leaves. */
export async function serveClient(server: Server, transport: Transport): Promise<void> {
  if (server?.catalog === undefined) throw new AppError('USAGE', 'Serve what createServer returned.');
  const connection = createConnection({
    notify: (method, params) => peer.notify(method, params),
    request: (method, params, options) => peer.request(method, params, options),
  });
  const legacy = createLegacyEra(server, connection);
  let modern: ModernEra | undefined;
  let isModern = false;

  /** Made for the first who speaks it: most clients never do, and every start would pay for it. */
  const openModern = (): ModernEra => {
    modern ??= createModernEra(server, connection);
    return modern;
  };

  const peer = createPeer({
    send: (text) => transport.send(text),
    onRequest(request) {
      if (carriesEnvelope(request.params)) isModern = true;
      else if (request.method === 'initialize') isModern = false;
      // Once a client has spoken the new revision, a request without an envelope is a mistake, and is told so there.
      const era = isModern || request.method === 'server/discover' ? openModern() : legacy;
      return era.request(request);
    },
    onNotification(method, _, request) {
      legacy.notification(method);
      // A call that nobody wants to hear the end of is a call all the same.
      return method === 'tools/call' ? legacy.request(request) : undefined;
    },
  });

  const stopListening = server.catalog.onChange(
    oncePerTurn(() => {
      legacy.toolsChanged();
      modern?.toolsChanged();
    }),
  );
  const stopFollowing =
    server.resources &&
    watchResources(server.resources, {
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
  stopFollowing?.();
}

/** Several changes in one turn of the event loop are one piece of news. */
function oncePerTurn(listener: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      listener();
    });
  };
}
