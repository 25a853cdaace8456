import type { Server } from 'node:http';
import { AppError } from '../../../base/errors.ts';
import { pollEvery, waitUntil } from '../../../base/wait-until.ts';
import type { Connections, PassConnection, PassedConnection } from './connections.ts';
import type { FrontClients } from './front-clients.ts';
import type { FrontState } from './front-state.ts';
import { acceptPassed, passBack, passOnConnections } from './passed-connections.ts';
import type { Refusal } from './refusal.ts';

/** How a front stops: for good, or by handing its clients over to another process. */
export interface FrontShutdown {
  /** Stops listening and refuses new sessions. Other requests on open connections are still answered. */
  stopAccepting(): void;
  /** Serves a connection that another process has passed on. */
  accept(connection: PassedConnection): void;
  /**
   * Passes on all connections, also those that arrive later. Resolves when the next process may serve them. Then only
   * long calls are left, which finish here until `close`. `close` then leaves the listening socket open.
   */
  handOver(pass: PassConnection): Promise<void>;
  /** Stops listening, lets running calls finish for `drainMs`, then ends all streams and connections. Never throws. */
  close(options?: CloseOptions): Promise<void>;
}

interface CloseOptions {
  readonly drainMs?: number;
  /** Answers the calls that have not finished in time. Default: the front answers them. */
  readonly endCalls?: () => Promise<void>;
}

interface FrontShutdownOptions {
  readonly state: FrontState;
  readonly clients: FrontClients;
  readonly connections: Connections;
  readonly server: Server;
  /** Whether another process can continue connections that already had requests. */
  readonly canPassUsed: boolean;
  /** Stops watching the clients and their tokens. */
  readonly stopTimers: () => void;
}

export function createFrontShutdown(options: FrontShutdownOptions): FrontShutdown {
  const { state, clients, connections, server, canPassUsed, stopTimers } = options;
  const { limits } = state;
  let closing: Promise<void> | undefined;
  let passOn: PassConnection | undefined;

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
    stopTimers();
    clients.close(STOPPING);
    await waitWhile(() => state.exchanges.size > 0, LAST_RESPONSES_MS);
    for (const exchange of state.exchanges) exchange.refuse();
    if (!state.isHandedOver) connections.closeIdle();
    const isOpen = () => state.exchanges.size > 0 || state.streams.size > 0 || connections.isPassing;
    await waitWhile(isOpen, LAST_RESPONSES_MS);
    connections.closeAll();
  };

  return {
    stopAccepting,
    accept(connection) {
      if (passOn !== undefined) return passBack(connection, passOn);
      acceptPassed(connection, { server, connections, limits });
    },
    async handOver(pass) {
      passOn = pass;
      passOnConnections(pass, { server, connections, canPassUsed });
      await waitWhile(() => clients.isBusy || connections.isPassing, SHORT_CALLS_MS);
      await waitWhile(() => connections.isPassing, PARTIAL_REQUESTS_MS);
      state.isHandedOver = true;
      clients.sessions.handOver();
      clients.closeWaiting(STOPPING);
    },
    close(closeOptions = {}) {
      closing ??= close(closeOptions);
      return closing;
    },
  };
}

const POLL_MS = 20;
/** How long new requests wait for running calls to finish. Longer calls finish while the next process serves. */
const SHORT_CALLS_MS = 1_000;
/** How long a client may take to send the rest of a request. Rarely needed. */
const PARTIAL_REQUESTS_MS = 4_000;
/** How long clients may take to read the last responses. */
const LAST_RESPONSES_MS = 1_000;

const STOPPING: Refusal = {
  status: 503,
  error: new AppError('CONNECTION_CLOSED', 'The server is stopping. The outcome of this request is unknown.'),
  headers: { 'Retry-After': '1', Connection: 'close' },
};
