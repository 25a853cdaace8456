import type { ServerContext } from '../server-context.ts';
import type { ReadQuery, StoredSession, StoredTurn } from './stored-session.ts';
import { readStoredSession } from './stored-sessions.ts';
import { findHeldSessions } from './writer-locks.ts';

export interface InspectedSession extends StoredSession {
  /** True if another Codex has the session open. */
  readonly isHeld?: boolean;
}

/** Reads a session without resuming it, and checks whether another Codex has it open. */
export async function inspectStoredSession(
  { sessions, codexHome }: Pick<ServerContext, 'sessions' | 'codexHome'>,
  query: ReadQuery,
): Promise<InspectedSession> {
  const stored = await sessions.engine.read(query);
  const { sessionId, cursor } = query;
  // A session that this server drives is held by its own Codex.
  const isOurs = sessions.registry.find(sessionId)?.turn !== undefined;
  if (isOurs || !(await findHeldSessions(codexHome)).has(sessionId)) return stored;
  const last = stored.turns.at(-1);
  const isOpen =
    cursor === undefined && last?.status === 'interrupted' && (await isTurnUnfinished(codexHome, sessionId));
  return {
    ...stored,
    isHeld: true,
    turns: isOpen ? [...stored.turns.slice(0, -1), withRunningStatus(last)] : stored.turns,
  };
}

/** Codex reports a turn that runs elsewhere as interrupted. In the file, only an interrupted turn has an end. */
async function isTurnUnfinished(codexHome: string, sessionId: string): Promise<boolean> {
  const { turns } = await readStoredSession(codexHome, { sessionId, limit: 1 }, { isRunning: true }).catch(
    // The session is stored in an unknown format.
    () => ({ turns: [] }),
  );
  return turns.at(-1)?.status === 'running';
}

function withRunningStatus({ turnId, entries }: StoredTurn): StoredTurn {
  return { turnId, status: 'running', entries };
}
