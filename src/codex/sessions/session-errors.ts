import { AppError } from '../../base/errors.ts';
import type { TurnSettings } from '../engine.ts';
import type { Session } from './session.ts';

export function unknownSession(sessionId: string, cause?: unknown): AppError {
  const text = `There is no session ${sessionId}. codex_list shows all sessions.`;
  return new AppError('SESSION_NOT_FOUND', text, { cause, data: { sessionId } });
}

/** Another Codex has the session open, and only one may write to it. */
export function sessionHeld(sessionId: string, cause?: unknown): AppError {
  const text = `Session ${sessionId} is open in another Codex, probably a terminal or an editor, and only one Codex can write to it. Close it there, or set onConflict: "fork" to continue in a copy.`;
  return new AppError('SESSION_HELD', text, { cause, data: { sessionId } });
}

/** The session may be stored or not exist at all: a caller that guesses ids must not find out which. */
export function sessionNotInThisServer(sessionId: string): AppError {
  const text = `No turn of session ${sessionId} has run in this server. codex_status reads a stored session, codex_say continues one, codex_list shows all.`;
  return new AppError('SESSION_NOT_FOUND', text, { data: { sessionId } });
}

/** Throws if a message that steers a turn changes settings: the caller must not believe that they are in effect. */
export function assertNoOverrides(turn: TurnSettings): void {
  const names = Object.keys(turn);
  if (names.length === 0) return;
  const text = `A running turn keeps its settings: leave out ${names.join(', ')}, or set onBusy to "queue".`;
  throw new AppError('BAD_ARGUMENTS', text);
}

export function sessionBusy(session: Session): AppError {
  const [approval] = session.pendingApprovals;
  const what =
    approval === undefined
      ? 'is busy with a turn. Wait for it (codex_wait)'
      : `waits for an answer to ${approval.id}. Give it (codex_respond)`;
  const text = `Session ${session.id} ${what}, end the turn (codex_interrupt), or set onBusy to "steer" or "queue".`;
  return new AppError('BUSY', text, { data: { sessionId: session.id, status: session.status } });
}
