import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { Client } from '../client/client.ts';
import { DeferredResponse } from '../client/pending-request.ts';
import type { ClientRequest } from '../routing/routing.ts';
import type { GatewayServer } from './gateway-server.ts';

/** Knows when every server has said what it offers, or can be given up on for now, and who waits for that. */
export interface Readiness {
  /** What every server offers is known, be it from an earlier run, or it failed before, or nothing can be known for now. */
  isKnown(kind: ListKind): boolean;
  /** Every server has said in this run what it offers, or nothing can be known for now. */
  isListed(kind: ListKind): boolean;
  /** Answers the request when everything is known, at the latest after `timeoutMs`; the slow ones are left out. */
  replyWhenKnown(kind: ListKind, timeoutMs: number, client: Client, request: ClientRequest, answer: () => string): void;
  /** Calls back once, when all of them have said it or failed in this run, or the time is over. */
  whenAllListed(kind: ListKind, timeoutMs: number, callback: () => void): void;
  /** Calls back once, when this holds or the time is over. */
  waitUntil(isDone: () => boolean, timeoutMs: number, callback: () => void): void;
  /** Somebody wants something that no server has listed: lists of these kinds that failed are asked for now. */
  retryFailedLists(kinds: readonly ListKind[]): void;
  /** Something may have changed. */
  check(): void;
}

export function createReadiness(servers: () => readonly GatewayServer[]): Readiness {
  let waiters: { readonly isDone: () => boolean; readonly done: () => void }[] = [];
  let isCheckScheduled = false;

  const isSettled = (kind: ListKind) => servers().every((server) => isServerSettled(server, kind));
  const isKnown = (kind: ListKind) =>
    servers().every((server) => server.catalog.isKnown(kind) || isServerSettled(server, kind) || failedToStart(server));

  /** Once per turn: a server that fell and is started again at once is seen as starting, not as fallen. */
  const check = () => {
    if (isCheckScheduled || waiters.length === 0) return;
    isCheckScheduled = true;
    queueMicrotask(() => {
      isCheckScheduled = false;
      const done = waiters.filter(({ isDone }) => isDone());
      if (done.length === 0) return;
      waiters = waiters.filter((entry) => !done.includes(entry));
      for (const entry of done) entry.done();
    });
  };

  const waitUntil = (isDone: () => boolean, timeoutMs: number, done: () => void) => {
    const entry = {
      isDone,
      done() {
        clearTimeout(timer);
        done();
      },
    };
    const timer = setTimeout(() => {
      waiters = waiters.filter((candidate) => candidate !== entry);
      done();
    }, timeoutMs);
    waiters.push(entry);
    check();
  };

  return {
    isKnown,
    isListed: isSettled,
    replyWhenKnown(kind, timeoutMs, client, { idText, method, reply }, answer) {
      const context = { method, toolName: undefined, serverName: undefined };
      const deferred = new DeferredResponse({ client, idText, context, reply, fallback: answer });
      waitUntil(
        () => deferred.isDone || isKnown(kind),
        timeoutMs,
        () => deferred.answer(answer()),
      );
    },
    whenAllListed: (kind, timeoutMs, callback) =>
      waitUntil(
        () => servers().every((server) => isServerSettled(server, kind) || failedInThisRun(server)),
        timeoutMs,
        callback,
      ),
    waitUntil,
    retryFailedLists(kinds) {
      for (const { catalog } of servers()) kinds.forEach(catalog.retry);
    },
    check,
  };
}

/** It failed to start before, and is not waited for again until it has started. */
function failedToStart({ upstream }: GatewayServer): boolean {
  return upstream.startFailure !== undefined;
}

/** It failed in this run, and is only being tried again. One that is slow may still list something. */
function failedInThisRun({ upstream: { startFailure } }: GatewayServer): boolean {
  return startFailure !== undefined && startFailure.isEarlier !== true && startFailure.code !== 'TIMED_OUT';
}

function isServerSettled({ upstream, catalog }: GatewayServer, kind: ListKind): boolean {
  return catalog.isListed(kind) || (upstream.state.kind !== 'connecting' && upstream.state.kind !== 'ready');
}
