import { oneLine } from '../../base/text/safe-text.ts';
import { type FailureCache, failureFile, type StartFailure } from '../../upstream/catalog-cache/failure-cache.ts';
import { isStartingOrReady } from '../../upstream/state.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { createUnfinishedStarts } from './unfinished-starts.ts';

/**
 * Records which servers failed to start, in this run or an earlier one. A server that failed once delays no client
 * again.
 */
export interface StartFailures {
  /** Restores the failure that an earlier run recorded. Call it right before the server is started. */
  restore(server: GatewayServer): void;
  /** Call when listing the tools of the server has succeeded or failed. */
  listed(server: GatewayServer): void;
  stateChanged(server: GatewayServer | undefined): void;
  /**
   * Call when the client has its list. Servers that were launched and have not listed their tools yet count as failed.
   */
  listAnswered(servers: readonly GatewayServer[]): void;
  /**
   * Like `listAnswered`, for clients that disconnect before they have their list. All records are on disk on return.
   */
  clientsDisconnected(servers: readonly GatewayServer[]): void;
  /** Returns the file that records the failure, and its signature. */
  fileOf(server: GatewayServer): { readonly file: string; readonly signature: string } | undefined;
  /** Call before stopping the servers. Those without a list count as failed, and later events are ignored. */
  freeze(servers: readonly GatewayServer[]): void;
  /** Writes all pending records. */
  close(): void;
}

export interface StartFailuresOptions {
  readonly cache: FailureCache | undefined;
  /** Returns the key of a failure record, or undefined if the entry cannot be resolved. */
  readonly keyOf: (server: GatewayServer) => string | undefined;
  /** Called when the set of servers to wait for may have changed. */
  readonly onChange: () => void;
}

const MAX_MESSAGE_LENGTH = 200;

export function createStartFailures({ cache, keyOf, onChange }: StartFailuresOptions): StartFailures {
  const unsaved = new Set<GatewayServer>();
  /** When the first server was restored, on the first `initialize`. */
  let startedAt: number | undefined;
  let mayWrite = false;
  let isFrozen = false;
  const unfinished = cache && createUnfinishedStarts({ cache, keyOf, isStarting: isLate });

  const write = () => {
    for (const server of unsaved) {
      const { upstream, entry } = server;
      const key = keyOf(server);
      if (key === undefined || cache === undefined) continue;
      if (upstream.startFailure === undefined) cache.remove(entry.id, key);
      else cache.write(entry.id, key, upstream.startFailure);
    }
    unsaved.clear();
  };

  /**
   * Sets or clears a failure. A failure with the same code is not rewritten, because a snapshot depends on its file.
   */
  const setFailure = (server: GatewayServer, failure: StartFailure | undefined) => {
    const { upstream } = server;
    const before = upstream.startFailure;
    if (isFrozen || (before === undefined && failure === undefined)) return;
    upstream.startFailure = failure && { ...failure, message: oneLine(failure.message, MAX_MESSAGE_LENGTH) };
    if (before?.code !== failure?.code) {
      unsaved.add(server);
      if (mayWrite) write();
    }
    onChange();
  };

  /** Clears the failure of a started server. Also removes records that this run did not read. */
  const clearFailure = (server: GatewayServer) => {
    if (cache?.mayHave(server.entry.id) === true && server.upstream.startFailure === undefined) unsaved.add(server);
    setFailure(server, undefined);
  };

  const check = (server: GatewayServer) => {
    if (hasListed(server)) {
      unfinished?.finished(server);
      return clearFailure(server);
    }
    const failure = failureOf(server);
    if (failure !== undefined) setFailure(server, failure);
  };

  const markLate = (servers: readonly GatewayServer[]) => {
    const now = performance.now();
    const waitedSeconds = Math.ceil((now - (startedAt ?? now)) / 1000);
    const message = `it had not listed its tools after ${waitedSeconds} s`;
    for (const server of servers.filter(isLate)) setFailure(server, { code: 'TIMED_OUT', message, waitedSeconds });
  };

  const stopWaiting = (servers: readonly GatewayServer[]) => {
    markLate(servers);
    mayWrite = true;
    unfinished?.stop();
  };

  return {
    restore(server) {
      startedAt ??= performance.now();
      const { upstream, entry, catalog } = server;
      const key = cache?.mayHave(entry.id) === true ? keyOf(server) : undefined;
      if (key !== undefined) upstream.startFailure = cache?.read(entry.id, key);
      if (upstream.startFailure === undefined && !mayWrite && !catalog.isKnown('tools')) unfinished?.watch(server);
    },
    listed: check,
    stateChanged(server) {
      // A server that crashed and is restarted immediately is still starting.
      if (server !== undefined) queueMicrotask(() => check(server));
    },
    listAnswered(servers) {
      stopWaiting(servers);
      setImmediate(write);
    },
    clientsDisconnected(servers) {
      stopWaiting(servers);
      write();
    },
    fileOf(server) {
      const key = keyOf(server);
      if (cache === undefined || key === undefined || server.upstream.startFailure === undefined) return undefined;
      return unsaved.has(server) ? undefined : failureFile(cache, server.entry.id, key);
    },
    freeze(servers) {
      markLate(servers);
      isFrozen = true;
      unfinished?.stop();
    },
    close: write,
  };
}

/** Returns whether the server was launched and has neither failed nor listed its tools. */
function isLate({ upstream, catalog }: GatewayServer): boolean {
  const { state, where, startFailure } = upstream;
  return isStartingOrReady(state) && where !== undefined && startFailure === undefined && !catalog.isKnown('tools');
}

function hasListed({ catalog }: GatewayServer): boolean {
  return (
    catalog.isListed('tools') && (catalog.problem('tools') === undefined || catalog.list('tools').items.length > 0)
  );
}

function failureOf({ upstream, catalog }: GatewayServer): StartFailure | undefined {
  const { state } = upstream;
  if (state.kind === 'error') return { code: state.error.code, message: state.error.message };
  if (state.kind === 'auth_required') return { code: 'SIGN_IN_NEEDED', message: state.reason };
  const problem = catalog.isListed('tools') ? catalog.problem('tools') : undefined;
  return problem === undefined ? undefined : { code: 'REQUEST_FAILED', message: problem };
}
