import { AppError } from '../base/errors.ts';

export function unknownSession(sessionId: string, cause?: unknown): AppError {
  const text = `There is no session ${sessionId}. codex_list shows all sessions.`;
  return new AppError('SESSION_NOT_FOUND', text, { cause, data: { sessionId } });
}

/** It may be stored or not exist at all: whoever guesses ids learns nothing. */
export function notDriven(sessionId: string): AppError {
  const text = `No turn of a session ${sessionId} ran in this server. codex_status reads a stored session, codex_say continues one, codex_list shows all.`;
  return new AppError('SESSION_NOT_FOUND', text, { data: { sessionId } });
}
