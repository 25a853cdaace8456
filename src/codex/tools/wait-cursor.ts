import { checksum } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import type { Session } from '../sessions/session.ts';

/** Which ends and questions of sessions a caller has been told of. It is all in the cursor: the server keeps nothing. */
export interface ToldSessions {
  has(session: Session): boolean;
  /** The cursor after these have been told as well. */
  with(sessions: readonly Session[]): string;
}

/** So many are remembered; the oldest are forgotten, and may be told once more. */
const MAX_TOLD = 200;

/** Throws BAD_ARGUMENTS for what is no cursor of `codex_wait`. */
export function readTold(cursor: string | undefined): ToldSessions {
  if (cursor !== undefined && !/^(?:[0-9a-f]{8}(?:\.[0-9a-f]{8})*)?$/.test(cursor))
    throw new AppError('BAD_ARGUMENTS', `This is no cursor of codex_wait: ${cursor}`);
  const told = new Set(cursor === undefined || cursor === '' ? [] : cursor.split('.'));
  return {
    has: (session) => told.has(markOf(session)),
    with: (sessions) => [...new Set([...told, ...sessions.map(markOf)])].slice(-MAX_TOLD).join('.'),
  };
}

/** Another turn, another end of it or another question is news. */
function markOf({ id, turnCount, status, questions }: Session): string {
  return checksum(Buffer.from(JSON.stringify([id, turnCount, status, questions.map((question) => question.id)])));
}
