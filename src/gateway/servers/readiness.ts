import { createChanges, waitUntil } from '../../base/wait-until.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { isStartingOrReady } from '../../upstream/state.ts';
import type { GatewayServer } from './gateway-server.ts';

/** Tracks whether every server has listed its items or is unavailable for now, and which requests wait for that. */
export interface Readiness {
  /**
   * Returns whether the list of every given server is known, possibly from the cache. Failed and unavailable servers
   * count as known.
   */
  isKnown(kind: ListKind, servers: readonly GatewayServer[]): boolean;
  /** Like `isKnown`, but a cached list counts only if the server listed it for clients like the current one. */
  isKnownExactly(kind: ListKind, servers: readonly GatewayServer[]): boolean;
  /** Returns whether every given server has listed its items in this run or is unavailable. */
  isSettled(kind: ListKind, servers: readonly GatewayServer[]): boolean;
  /** Calls back once, when all servers have listed their items or failed in this run, or after `timeoutMs`. */
  whenAllListed(kind: ListKind, timeoutMs: number, callback: () => void): void;
  /** Calls back once, when `isDone` returns true or after `timeoutMs`. */
  callWhen(isDone: () => boolean, timeoutMs: number, callback: () => void): void;
  /** Retries failed lists of these kinds. Called for a request that no listed item matches. */
  retryFailedLists(kinds: readonly ListKind[], servers: readonly GatewayServer[]): void;
  /** Checks all waiters again after a possible change. */
  check(): void;
}

export function createReadiness(servers: () => readonly GatewayServer[]): Readiness {
  const changes = createChanges();

  const callWhen = (isDone: () => boolean, timeoutMs: number, callback: () => void) => {
    // Not checked in this turn: a server that crashed and restarts immediately counts as starting, not as failed.
    queueMicrotask(() => void waitUntil(changes, isDone, { timeoutMs }).then(callback));
  };

  return {
    isKnown: (kind, of) => of.every((server) => server.catalog.isKnown(kind) || needsNoWait(server, kind)),
    isKnownExactly: (kind, of) => of.every((server) => hasExactCatalog(server, kind) || needsNoWait(server, kind)),
    isSettled: (kind, of) => of.every((server) => isServerSettled(server, kind)),
    whenAllListed: (kind, timeoutMs, callback) =>
      callWhen(
        () => servers().every((server) => isServerSettled(server, kind) || failedInThisRun(server)),
        timeoutMs,
        callback,
      ),
    callWhen,
    retryFailedLists(kinds, of) {
      for (const { catalog } of of) kinds.forEach(catalog.retry);
    },
    check: changes.changed,
  };
}

function hasExactCatalog({ catalog, hasFallbackCatalog }: GatewayServer, kind: ListKind): boolean {
  return !hasFallbackCatalog && catalog.isKnown(kind);
}

function needsNoWait(server: GatewayServer, kind: ListKind): boolean {
  return isServerSettled(server, kind) || failedToStart(server);
}

/** Returns whether the last start failed. No request waits for such a server until it has started. */
function failedToStart({ upstream }: GatewayServer): boolean {
  return upstream.startFailure !== undefined;
}

/** Returns whether the server failed in this run and is being retried. A slow server may still list its items. */
function failedInThisRun({ upstream: { startFailure } }: GatewayServer): boolean {
  return startFailure !== undefined && startFailure.isEarlier !== true && startFailure.code !== 'TIMED_OUT';
}

function isServerSettled({ upstream, catalog }: GatewayServer, kind: ListKind): boolean {
  return catalog.isListed(kind) || !isStartingOrReady(upstream.state);
}
