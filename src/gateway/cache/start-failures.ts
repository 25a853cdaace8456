import { oneLine } from '../../base/text/safe-text.ts';
import { type FailureCache, failureFile, type StartFailure } from '../../upstream/catalog-cache/failure-cache.ts';
import type { Member } from '../servers/gateway-server.ts';
import { createUnfinishedStarts } from './unfinished-starts.ts';

/** Which servers failed to start, in this run or an earlier one. A server that failed once delays no client again. */
export interface StartFailures {
  /** What an earlier run has recorded. */
  recall(member: Member): void;
  /** Its tools were listed, or could not be. */
  listed(member: Member): void;
  stateChanged(member: Member | undefined): void;
  /** The client has its list: servers that were launched and have not listed their tools yet count as failed. */
  listAnswered(members: readonly Member[]): void;
  /** The same when the clients disconnect before they have their list. Everything is on disk when this returns. */
  clientsLeft(members: readonly Member[]): void;
  /** The file that records its failure, and the signature of that file. */
  fileOf(member: Member): { readonly file: string; readonly signature: string } | undefined;
  /** The servers are about to be stopped: those without a list have failed, and what comes after is no failure. */
  freeze(members: readonly Member[]): void;
  /** Writes everything that is not written yet. */
  close(): void;
}

export interface StartFailuresOptions {
  readonly cache: FailureCache | undefined;
  /** Under which a failure is recorded; undefined while nobody can tell what would be started. */
  readonly keyOf: (member: Member) => string | undefined;
  /** Another server is waited for now, or one less. */
  readonly onChange: () => void;
}

const MAX_MESSAGE_LENGTH = 200;

export function createStartFailures({ cache, keyOf, onChange }: StartFailuresOptions): StartFailures {
  const unwritten = new Set<Member>();
  const begin = performance.now();
  let mayWrite = false;
  let isFrozen = false;
  const unfinished = cache && createUnfinishedStarts({ cache, keyOf, isStarting: isLate });

  const write = () => {
    for (const member of unwritten) {
      const { upstream, entry } = member;
      const key = keyOf(member);
      if (key === undefined || cache === undefined) continue;
      if (upstream.startFailure === undefined) cache.remove(entry.id, key);
      else cache.write(entry.id, key, upstream.startFailure);
    }
    unwritten.clear();
  };

  /** A failure of the same kind is not written again: its file is part of what a prepared list was made from. */
  const set = (member: Member, failure: StartFailure | undefined) => {
    const { upstream } = member;
    const before = upstream.startFailure;
    if (isFrozen || (before === undefined && failure === undefined)) return;
    upstream.startFailure = failure && { ...failure, message: oneLine(failure.message, MAX_MESSAGE_LENGTH) };
    if (before?.code !== failure?.code) {
      unwritten.add(member);
      if (mayWrite) write();
    }
    onChange();
  };

  /** A run that does not look at old records takes them away all the same when a server has started. */
  const forget = (member: Member) => {
    if (cache?.mayKnow(member.entry.id) === true && member.upstream.startFailure === undefined) unwritten.add(member);
    set(member, undefined);
  };

  const look = (member: Member) => {
    if (hasListed(member)) {
      unfinished?.finished(member);
      return forget(member);
    }
    const failure = failureOf(member);
    if (failure !== undefined) set(member, failure);
  };

  const giveUp = (members: readonly Member[]) => {
    const waitedSeconds = Math.ceil((performance.now() - begin) / 1000);
    const message = `it had not listed its tools after ${waitedSeconds} s`;
    for (const member of members.filter(isLate)) set(member, { code: 'TIMED_OUT', message, waitedSeconds });
  };

  const nobodyWaits = (members: readonly Member[]) => {
    giveUp(members);
    mayWrite = true;
    unfinished?.stop();
  };

  return {
    recall(member) {
      const { upstream, entry, catalog } = member;
      const key = cache?.mayKnow(entry.id) === true ? keyOf(member) : undefined;
      if (key !== undefined) upstream.startFailure = cache?.read(entry.id, key);
      if (upstream.startFailure === undefined && !mayWrite && !catalog.isKnown('tools')) unfinished?.watch(member);
    },
    listed: look,
    stateChanged(member) {
      // One that fell and is started again at once is still starting.
      if (member !== undefined) queueMicrotask(() => look(member));
    },
    listAnswered(members) {
      nobodyWaits(members);
      setImmediate(write);
    },
    clientsLeft(members) {
      nobodyWaits(members);
      write();
    },
    fileOf(member) {
      const key = keyOf(member);
      if (cache === undefined || key === undefined || member.upstream.startFailure === undefined) return undefined;
      return unwritten.has(member) ? undefined : failureFile(cache, member.entry.id, key);
    },
    freeze(members) {
      giveUp(members);
      isFrozen = true;
      unfinished?.stop();
    },
    close: write,
  };
}

/** It was launched, and has not failed and not listed its tools. */
function isLate({ upstream, catalog }: Member): boolean {
  const { state, where, startFailure } = upstream;
  const isStarting = state.kind === 'connecting' || state.kind === 'ready';
  return isStarting && where !== undefined && startFailure === undefined && !catalog.isKnown('tools');
}

function hasListed({ catalog }: Member): boolean {
  return (
    catalog.isListed('tools') && (catalog.problem('tools') === undefined || catalog.list('tools').items.length > 0)
  );
}

function failureOf({ upstream, catalog }: Member): StartFailure | undefined {
  const { state } = upstream;
  if (state.kind === 'error') return { code: state.error.code, message: state.error.message };
  if (state.kind === 'auth_required') return { code: 'SIGN_IN_NEEDED', message: state.reason };
  const problem = catalog.isListed('tools') ? catalog.problem('tools') : undefined;
  return problem === undefined ? undefined : { code: 'REQUEST_FAILED', message: problem };
}
