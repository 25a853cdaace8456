import { AppError } from '../base/errors.ts';
import { createPeer, type Peer, type PeerOptions } from '../wire/rpc/peer.ts';
import { carriesEnvelope } from './eras/envelope.ts';
import { createLegacyEra, type LegacySettings } from './eras/legacy.ts';
import { createModernEra, type ModernEra } from './eras/modern.ts';
import { createConnection, type Reach, type ServedClient } from './served-client.ts';
import type { Server } from './server.ts';

export interface ServedConnectionOptions extends Pick<PeerOptions, 'send' | 'onInvalidMessage'> {
  /** The only era that the client may speak. Default: the client chooses with each request. */
  readonly era?: 'legacy' | 'modern' | undefined;
  /** Default: always. */
  readonly reach?: (() => Reach) | undefined;
  /** Called when a legacy client has changed its log level or its subscriptions. */
  readonly onSettings?: ((settings: LegacySettings) => void) | undefined;
}

/** One client of a server: its peer, and the eras that answer its requests. */
export interface ServedConnection {
  readonly client: ServedClient;
  readonly peer: Peer;
  /** Whether calls are running or suspended. Streams of changes do not count: they run until the client ends them. */
  readonly isBusy: boolean;
  /** Continues a legacy connection of an earlier process. */
  restore(initializeParams: unknown, settings: LegacySettings): void;
  /** Ends whatever waits for the client, because it has disconnected. */
  disconnect(reason: AppError): void;
  /** Stops listening for changes of the server. */
  close(): void;
}

export function openServedConnection(server: Server, options: ServedConnectionOptions): ServedConnection {
  if (server?.catalog === undefined) throw new AppError('USAGE', 'Pass a server that createServer returned.');
  const connection = createConnection({
    notify: (method, params, exchange) => peer.notify(method, params, exchange),
    request: (method, params, request) => peer.request(method, params, request),
    exchangeOf: (id) => peer.exchangeOf(id),
    reach: options.reach ?? (() => 'always'),
  });
  const legacy = createLegacyEra(server, connection, options.onSettings);
  let modern: ModernEra | undefined;
  let isModern = options.era === 'modern';

  /** Creates the modern era on first use: most clients never need it, and creating it would slow down every start. */
  const openModern = (): ModernEra => {
    modern ??= createModernEra(server, connection);
    return modern;
  };

  const peer = createPeer({
    send: options.send,
    ...(options.onInvalidMessage === undefined ? {} : { onInvalidMessage: options.onInvalidMessage }),
    onRequest(request) {
      if (options.era === undefined) {
        if (carriesEnvelope(request.params)) isModern = true;
        else if (request.method === 'initialize') isModern = false;
      }
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

  return {
    client: connection.client,
    peer,
    get isBusy() {
      const { streamCount, heldCount } = modern ?? NOTHING_OPEN;
      return peer.runningCount > streamCount || heldCount > 0;
    },
    restore: legacy.restore,
    disconnect(reason) {
      connection.disconnect(reason);
      modern?.disconnect(reason);
    },
    close: stopListening,
  };
}

const NOTHING_OPEN = { streamCount: 0, heldCount: 0 };
