import { AppError } from '../base/errors.ts';

export function unknownSession(sessionId: string, cause?: unknown): AppError {
  const text = `There is no session ${sessionId} here. codex_list shows all sessions, and codex_say resumes one.`;
  return new AppError('SESSION_NOT_FOUND', text, { cause, data: { sessionId } });
}
