import { AppError } from '../../../base/errors.ts';
import { SlotSet } from '../../../base/slot-set.ts';
import { pollEvery, waitUntil } from '../../../base/wait-until.ts';
import { createHostCheck, type PublicAddress } from './allowed-hosts.ts';
import { createConnections, type PassConnection, type PassedConnection } from './connections.ts';
import { createHttpServer, type TlsOptions } from './create-http-server.ts';
import { createFrontClients } from './front-clients.ts';
import type { FrontState } from './front-state.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from './limits.ts';
import { type ListenAddress, listen } from './listen.ts';
import { connectionLimit } from './open-files.ts';
import { createOpenResponses } from './open-responses.ts';
import { acceptPassed, passBack, passOnConnections } from './passed-connections.ts';
import { createPostHandler } from './post-request.ts';
import type { Access } from './principal.ts';
import { type Refusal, refuseWithoutToken } from './refusal.ts';
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

export interface HttpFront {
  readonly address: ListenAddress;
  readonly counts: HttpCounts;
  /** Uses another certificate for new connections. */
  setCertificate(tls: TlsOptions): void;
  /** Stops listening and refuses new sessions. Other requests on open connections are still answered. */
  stopAccepting(): void;
  /** Serves a connection that another process has passed on. */
  accept(connection: PassedConnection): void;
  /**
   * Passes on all connections, also those that arrive later. Resolves when the next process may serve them: then only
   * calls are left that take long. They finish here until `close`, which leaves the listening socket open.
   */
  handOver(pass: PassConnection): Promise<void>;
  /** Stops listening, lets running calls finish for `drainMs`, then ends all streams and connections. Never throws. */
  close(options?: CloseOptions): Promise<void>;
}

interface CloseOptions {
  readonly drainMs?: number;
  /** Answers the calls that have not finished in time. Otherwise, the front answers them. */
  readonly endCalls?: () => Promise<void>;
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
  // Starts the limits of time, which apply also to connections from another process.
  if (options.isSuccessor === true) server.emit('listening');
  const heartbeat = setInterval(clients.heartbeat, limits.heartbeatMs).unref();
  const stopWatching = options.access.onRevoked((tokenId) => clients.close(refuseWithoutToken(true), tokenId));

  const stopAccepting = () => {
    state.isDraining = true;
    if (!state.isHandedOver) server.close();
  };

  const waitWhile = (isPending: () => boolean, timeoutMs: number) =>
    waitUntil(pollEvery(POLL_MS), () => !isPending(), { timeoutMs });

  const close = async ({ drainMs = limits.drainMs, endCalls }: CloseOptions) => {
    stopAccepting();
    await waitWhile(() => clients.isBusy, drainMs);
    if (clients.isBusy) await endCalls?.();
    clearInterval(heartbeat);
    stopWatching();
    clients.close(STOPPING);
    await waitWhile(() => state.exchanges.size > 0, LAST_RESPONSES_MS);
    for (const exchange of state.exchanges) exchange.refuse();
    if (!state.isHandedOver) connections.closeIdle();
    await waitWhile(
      () => state.exchanges.size > 0 || state.streams.size > 0 || connections.isPassing,
      LAST_RESPONSES_MS,
    );
    connections.closeAll();
  };

  let closing: Promise<void> | undefined;
  let passOn: PassConnection | undefined;
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
    stopAccepting,
    accept(connection) {
      if (passOn !== undefined) return passBack(connection, passOn);
      acceptPassed(connection, { server, connections, limits });
    },
    async handOver(pass) {
      passOn = pass;
      passOnConnections(pass, { server, connections, canPassUsed: options.tls === undefined });
      await waitWhile(() => clients.isBusy || connections.isPassing, SHORT_CALLS_MS);
      await waitWhile(() => connections.isPassing, PARTIAL_REQUESTS_MS);
      state.isHandedOver = true;
      sessions.handOver();
      clients.closeWaiting(STOPPING);
    },
    close(closeOptions = {}) {
      closing ??= close(closeOptions);
      return closing;
    },
  };
}

const POLL_MS = 20;
/** How long other clients wait for running calls to finish. Longer calls finish while the next process serves. */
const SHORT_CALLS_MS = 1_000;
/** How long a client may take to send the rest of a request. Usually no request is in this state. */
const PARTIAL_REQUESTS_MS = 4_000;
/** How long clients may take to read the last responses. */
const LAST_RESPONSES_MS = 1_000;

const STOPPING: Refusal = {
  status: 503,
  error: new AppError('CONNECTION_CLOSED', 'The server is stopping. The outcome of this request is unknown.'),
  headers: { 'Retry-After': '1', Connection: 'close' },
};
