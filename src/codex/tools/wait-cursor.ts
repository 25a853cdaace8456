import { checksum } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import type { Session } from '../sessions/session.ts';

/** Which ends and questions of sessions a caller has been told of. It is all in the cursor: the server keeps nothing. */
export interface ReportedSessions {
  has(session: Session): boolean;
  /** The cursor after these have been told as well. */
  with(sessions: readonly Session[]): string;
}

/** So many are remembered; the oldest are forgotten, and may be told once more. */
const MAX_REPORTED = 200;

/** Throws BAD_ARGUMENTS for what is no cursor of `codex_wait`. */
export function parseWaitCursor(cursor: string | undefined): ReportedSessions {
  if (cursor !== undefined && !/^(?:[0-9a-f]{8}(?:\.[0-9a-f]{8})*)?$/.test(cursor))
    throw new AppError('BAD_ARGUMENTS', `This is no cursor of codex_wait: ${cursor}`);
  const reported = new Set(cursor === undefined || cursor === '' ? [] : cursor.split('.'));
  return {
    has: (session) => reported.has(fingerprintOf(session)),
    with: (sessions) => [...new Set([...reported, ...sessions.map(fingerprintOf)])].slice(-MAX_REPORTED).join('.'),
  };
}

/** Another turn, another end of it or another question is news. */
function fingerprintOf({ id, turnCount, status, pendingApprovals }: Session): string {
  return checksum(
    Buffer.from(JSON.stringify([id, turnCount, status, pendingApprovals.map((approval) => approval.id)])),
  );
}
