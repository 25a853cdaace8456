import { SlotSet } from '../../../base/slot-set.ts';
import { createHostCheck, type PublicAddress } from './allowed-hosts.ts';
import { createConnections } from './connections.ts';
import { createHttpServer, type TlsOptions } from './create-http-server.ts';
import { createFrontClients } from './front-clients.ts';
import { createFrontShutdown, type FrontShutdown } from './front-shutdown.ts';
import type { FrontState } from './front-state.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from './limits.ts';
import { type ListenAddress, listen } from './listen.ts';
import { connectionLimit } from './open-files.ts';
import { createOpenResponses } from './open-responses.ts';
import { createPostHandler } from './post-request.ts';
import type { Access } from './principal.ts';
import { refuseWithoutToken } from './refusal.ts';
import { createRefusalCounts } from './refusal-counts.ts';
import { createBodyReader } from './request-body.ts';
import { createRouter, type Routes } from './route-request.ts';
import { createRandomSessionIds, type SessionIds } from './session-ids.ts';
import { createSessionHandler } from './session-request.ts';

export interface HttpFrontOptions extends Routes {
  readonly listen: ListenAddress;
  /** Another process listens there, and passes on its connections. */
  readonly isSuccessor?: boolean;
  /** Serves HTTPS. */
  readonly tls?: TlsOptions;
  readonly access: Access;
  /** Host names beside the loopback names and the address itself. */
  readonly allowedHosts?: readonly string[];
  /** The URL of a reverse proxy in front of this one. */
  readonly publicUrl?: PublicAddress | undefined;
  readonly limits?: Partial<HttpLimits>;
  /** Default: random ids, which end with the process. */
  readonly sessionIds?: SessionIds;
}

export interface HttpFront extends FrontShutdown {
  readonly address: ListenAddress;
  readonly counts: HttpCounts;
  /** Uses another certificate for new connections. */
  setCertificate(tls: TlsOptions): void;
}

interface HttpCounts {
  readonly connections: number;
  /** Legacy sessions in memory. */
  readonly sessions: number;
  /** Clients without a session. */
  readonly modernClients: number;
  /** Requests in flight. */
  readonly requests: number;
  /** Event streams with a connection. */
  readonly streams: number;
  /** Requests and connections that were refused, by HTTP status. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Serves MCP over HTTP to any number of clients, in both eras. */
export async function openHttpFront(options: HttpFrontOptions): Promise<HttpFront> {
  const { publicUrl } = options;
  const limits: HttpLimits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const state: FrontState = {
    limits,
    exchanges: new SlotSet(),
    streams: new Set(),
    isDraining: false,
    isHandedOver: false,
  };
  const clients = createFrontClients(state, options.sessionIds ?? createRandomSessionIds());
  const { sessions, modernClients } = clients;
  const responses = createOpenResponses();
  const refused = createRefusalCounts();
  const connections = createConnections(connectionLimit(limits.maxConnections), refused);
  const route = createRouter({
    ...options,
    checkHost: createHostCheck({ host: options.listen.host, allowedHosts: options.allowedHosts ?? [], publicUrl }),
    post: createPostHandler({ state, sessions, modernClients, bodies: createBodyReader(limits) }),
    other: createSessionHandler(state, sessions),
  });
  const { server, setCertificate } = await createHttpServer({
    limits,
    connections,
    responses,
    refused,
    tls: options.tls,
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    connections.busy(socket);
    responses.started(socket, response);
    response.on('close', () => {
      connections.idle(socket, request.complete);
      responses.ended(socket, response);
      if (response.statusCode >= 400) refused.count(response.statusCode);
    });
    route(request, response);
  });
  const address = options.isSuccessor === true ? options.listen : await listen(server, options.listen);
  // Starts the timers for slow requests, which also apply to connections from another process.
  if (options.isSuccessor === true) server.emit('listening');
  const heartbeat = setInterval(clients.heartbeat, limits.heartbeatMs).unref();
  const stopWatching = options.access.onRevoked((tokenId) => clients.close(refuseWithoutToken(true), tokenId));

  const shutdown = createFrontShutdown({
    ...{ state, clients, connections, server, canPassUsed: options.tls === undefined },
    stopTimers() {
      clearInterval(heartbeat);
      stopWatching();
    },
  });
  return {
    address,
    get counts() {
      return {
        connections: connections.size,
        sessions: sessions.size,
        modernClients: modernClients.size,
        requests: state.exchanges.size,
        streams: state.streams.size,
        refused: refused.all(),
      };
    },
    setCertificate,
    ...shutdown,
  };
}
