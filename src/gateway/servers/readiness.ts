import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { Client } from '../client/client.ts';
import { Deferred } from '../client/pending-request.ts';
import type { ClientRequest } from '../routing/routing.ts';
import type { Member } from './gateway-server.ts';

/** Knows when every server has said what it offers, or can be given up on for now, and who waits for that. */
export interface Settling {
  /** What every server offers is known, be it from an earlier run, or it failed before, or nothing can be known for now. */
  isKnown(kind: ListKind): boolean;
  /** Every server has said in this run what it offers, or nothing can be known for now. */
  isListed(kind: ListKind): boolean;
  /** Answers the request when everything is known, at the latest after `timeoutMs`; the slow ones are left out. */
  waitFor(kind: ListKind, timeoutMs: number, client: Client, request: ClientRequest, answer: () => string): void;
  /** Calls back once, when all of them have said it or failed in this run, or the time is over. */
  whenAllListed(kind: ListKind, timeoutMs: number, callback: () => void): void;
  /** Calls back once, when this holds or the time is over. */
  until(isDone: () => boolean, timeoutMs: number, callback: () => void): void;
  /** Somebody wants something that no server has listed: lists of these kinds that failed are asked for now. */
  retryFailed(kinds: readonly ListKind[]): void;
  /** Something may have changed. */
  look(): void;
}

export function createSettling(members: () => readonly Member[]): Settling {
  let waiting: { readonly isDone: () => boolean; readonly done: () => void }[] = [];
  let isLooking = false;

  const isSettled = (kind: ListKind) => members().every((member) => isMemberSettled(member, kind));
  const isKnown = (kind: ListKind) =>
    members().every((member) => member.catalog.isKnown(kind) || isMemberSettled(member, kind) || hasFailed(member));

  /** Once per turn: a server that fell and is started again at once is seen as starting, not as fallen. */
  const look = () => {
    if (isLooking || waiting.length === 0) return;
    isLooking = true;
    queueMicrotask(() => {
      isLooking = false;
      const done = waiting.filter(({ isDone }) => isDone());
      if (done.length === 0) return;
      waiting = waiting.filter((entry) => !done.includes(entry));
      for (const entry of done) entry.done();
    });
  };

  const wait = (isDone: () => boolean, timeoutMs: number, done: () => void) => {
    const entry = {
      isDone,
      done() {
        clearTimeout(timer);
        done();
      },
    };
    const timer = setTimeout(() => {
      waiting = waiting.filter((candidate) => candidate !== entry);
      done();
    }, timeoutMs);
    waiting.push(entry);
    look();
  };

  return {
    isKnown,
    isListed: isSettled,
    waitFor(kind, timeoutMs, client, { idText, method, reply }, answer) {
      const context = { method, toolName: undefined, serverName: undefined };
      const deferred = new Deferred({ client, idText, context, reply, lastWord: answer });
      wait(
        () => deferred.isDone || isKnown(kind),
        timeoutMs,
        () => deferred.answer(answer()),
      );
    },
    whenAllListed: (kind, timeoutMs, callback) =>
      wait(
        () => members().every((member) => isMemberSettled(member, kind) || hasFailedNow(member)),
        timeoutMs,
        callback,
      ),
    until: wait,
    retryFailed(kinds) {
      for (const { catalog } of members()) kinds.forEach(catalog.retry);
    },
    look,
  };
}

/** It failed to start before, and is not waited for again until it has started. */
function hasFailed({ upstream }: Member): boolean {
  return upstream.startFailure !== undefined;
}

/** It failed in this run, and is only being tried again. One that is slow may still list something. */
function hasFailedNow({ upstream: { startFailure } }: Member): boolean {
  return startFailure !== undefined && startFailure.isEarlier !== true && startFailure.code !== 'TIMED_OUT';
}

function isMemberSettled({ upstream, catalog }: Member, kind: ListKind): boolean {
  return catalog.isListed(kind) || (upstream.state.kind !== 'connecting' && upstream.state.kind !== 'ready');
}
