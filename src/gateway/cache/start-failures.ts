import { oneLine } from '../../base/text/safe-text.ts';
import { type FailureCache, failureFile, type StartFailure } from '../../upstream/catalog-cache/failure-cache.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { createUnfinishedStarts } from './unfinished-starts.ts';

/** Which servers failed to start, in this run or an earlier one. A server that failed once delays no client again. */
export interface StartFailures {
  /** What an earlier run has recorded. */
  restore(server: GatewayServer): void;
  /** Its tools were listed, or could not be. */
  listed(server: GatewayServer): void;
  stateChanged(server: GatewayServer | undefined): void;
  /** The client has its list: servers that were launched and have not listed their tools yet count as failed. */
  listAnswered(servers: readonly GatewayServer[]): void;
  /** The same when the clients disconnect before they have their list. Everything is on disk when this returns. */
  clientsDisconnected(servers: readonly GatewayServer[]): void;
  /** The file that records its failure, and the signature of that file. */
  fileOf(server: GatewayServer): { readonly file: string; readonly signature: string } | undefined;
  /** The servers are about to be stopped: those without a list have failed, and what comes after is no failure. */
  freeze(servers: readonly GatewayServer[]): void;
  /** Writes everything that is not written yet. */
  close(): void;
}

export interface StartFailuresOptions {
  readonly cache: FailureCache | undefined;
  /** Under which a failure is recorded; undefined while nobody can tell what would be started. */
  readonly keyOf: (server: GatewayServer) => string | undefined;
  /** Another server is waited for now, or one less. */
  readonly onChange: () => void;
}

const MAX_MESSAGE_LENGTH = 200;

export function createStartFailures({ cache, keyOf, onChange }: StartFailuresOptions): StartFailures {
  const unsaved = new Set<GatewayServer>();
  const startedAt = performance.now();
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

  /** A failure of the same kind is not written again: its file is part of what a prepared list was made from. */
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

  /** A run that does not look at old records takes them away all the same when a server has started. */
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
    const waitedSeconds = Math.ceil((performance.now() - startedAt) / 1000);
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
      const { upstream, entry, catalog } = server;
      const key = cache?.mayHave(entry.id) === true ? keyOf(server) : undefined;
      if (key !== undefined) upstream.startFailure = cache?.read(entry.id, key);
      if (upstream.startFailure === undefined && !mayWrite && !catalog.isKnown('tools')) unfinished?.watch(server);
    },
    listed: check,
    stateChanged(server) {
      // One that fell and is started again at once is still starting.
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

/** It was launched, and has not failed and not listed its tools. */
function isLate({ upstream, catalog }: GatewayServer): boolean {
  const { state, where, startFailure } = upstream;
  const isStarting = state.kind === 'connecting' || state.kind === 'ready';
  return isStarting && where !== undefined && startFailure === undefined && !catalog.isKnown('tools');
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
