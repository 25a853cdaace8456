import { realpath } from 'node:fs/promises';
import { AppError, isAppError } from '../../base/errors.ts';
import type { Engine } from '../engine.ts';
import { unknownSession } from '../sessions/session-errors.ts';
import type { ListQuery, SessionPage, StoredSessionInfo } from '../storage/stored-session.ts';
import type { Ownership } from './ownership.ts';

export interface OwnedEngineOptions {
  readonly ownership: Ownership;
  /** Resolves when an earlier engine of the same owner has ended, because only one may have a session open. */
  readonly ready: Promise<void>;
}

/**
 * Limits an engine to the sessions of an owner. It treats all other sessions as if they did not exist. A new session
 * gets its owner before its first turn begins.
 */
export function createOwnedEngine(engine: Engine, { ownership, ready }: OwnedEngineOptions): Engine {
  return {
    get name() {
      return engine.name;
    },
    get unsupported() {
      return engine.unsupported;
    },
    async start(request) {
      await ready;
      return engine.start({
        ...request,
        onTurnReady(session) {
          ownership.record(session.sessionId);
          request.onTurnReady(session);
        },
      });
    },
    async say(request) {
      ownership.assertOwn(request.sessionId);
      await ready;
      return engine.say(request);
    },
    async fork(request) {
      ownership.assertOwn(request.sessionId);
      await ready;
      const opened = await engine.fork(request);
      ownership.record(opened.sessionId);
      return opened;
    },
    async open(settings, guards) {
      await ready;
      const opened = await engine.open(settings, guards);
      ownership.record(opened.sessionId);
      return opened;
    },
    async list(query) {
      await ready;
      const ids = ownership.sessionIds();
      if (ids !== undefined) return listSessions(engine, ids, query);
      const page = await engine.list(query);
      return { ...page, sessions: page.sessions.filter((each) => ownership.owns(each.sessionId) && !isAgent(each)) };
    },
    async read(query) {
      ownership.assertOwn(query.sessionId);
      await ready;
      const stored = await engine.read(query);
      if (isAgent(stored)) throw unknownSession(query.sessionId);
      return stored;
    },
    // These concern sessions that the engine has opened, or none.
    review: (sessionId, target) => engine.review(sessionId, target),
    steer: (turn, input) => engine.steer(turn, input),
    interrupt: (turn, signal) => engine.interrupt(turn, signal),
    stopCommands: (sessionId) => engine.stopCommands(sessionId),
    killIfUnresponsive: (withinMs) => engine.killIfUnresponsive(withinMs),
    models: () => engine.models(),
    rateLimits: () => engine.rateLimits(),
    close: () => engine.close(),
  };
}

/**
 * Returns whether Codex itself has started the session, for an agent that works for another session. Such a session has
 * no recorded owner.
 */
function isAgent({ source = '' }: StoredSessionInfo): boolean {
  return /sub_?agent/i.test(source);
}

/**
 * Lists only these sessions. Pages of Codex contain the sessions of everybody, and a cursor of Codex could reveal the
 * id of one. Here, the cursor is the last session of a page.
 */
async function listSessions(engine: Engine, ids: readonly string[], query: ListQuery): Promise<SessionPage> {
  const { cursor, limit, workingDirectory } = query;
  const last = cursor === undefined ? -1 : ids.indexOf(cursor);
  if (cursor !== undefined && last === -1)
    throw new AppError('BAD_ARGUMENTS', 'Invalid cursor: leave it out to start from the beginning.');
  const folders = workingDirectory === undefined ? undefined : await spellingsOf(workingDirectory);
  const sessions: StoredSessionInfo[] = [];
  for (const id of ids.slice(last + 1)) {
    const info = await readInfo(engine, id);
    if (info !== undefined && matches(info, query, folders)) sessions.push(info);
    if (sessions.length >= limit) return { sessions, nextCursor: id };
  }
  return { sessions };
}

async function spellingsOf(folder: string): Promise<readonly string[]> {
  return [folder, await realpath(folder).catch(() => folder)];
}

/** Returns undefined for a session that has been deleted, or whose first turn is not stored yet. */
async function readInfo(engine: Engine, sessionId: string): Promise<StoredSessionInfo | undefined> {
  try {
    const { turns: _, nextCursor: __, ...info } = await engine.read({ sessionId, limit: 1 });
    return info;
  } catch (error) {
    if (isAppError(error) && error.code === 'SESSION_NOT_FOUND') return undefined;
    throw error;
  }
}

function matches(
  { directory, summary = '', name = '' }: StoredSessionInfo,
  { search }: ListQuery,
  folders: readonly string[] | undefined,
): boolean {
  if (folders !== undefined && !folders.includes(directory ?? '')) return false;
  return search === undefined || summary.includes(search) || name.includes(search);
}
