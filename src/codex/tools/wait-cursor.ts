import { checksum } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import type { Session } from '../sessions/session.ts';

/** The turn ends and approval requests that a caller has seen. The cursor contains them: the server is stateless. */
export interface ReportedSessions {
  has(session: Session): boolean;
  /** Returns the cursor that includes these sessions as well. */
  with(sessions: readonly Session[]): string;
}

/** A cursor holds at most this many fingerprints. It drops the oldest, which may then be reported again. */
const MAX_REPORTED = 200;

/** Throws BAD_ARGUMENTS for a text that is not a cursor of `codex_wait`. */
export function parseWaitCursor(cursor: string | undefined): ReportedSessions {
  if (cursor !== undefined && !/^(?:[0-9a-f]{8}(?:\.[0-9a-f]{8})*)?$/.test(cursor))
    throw new AppError(
      'BAD_ARGUMENTS',
      `This is not a cursor of codex_wait: ${cursor}. Use one from an earlier result, or leave it out.`,
    );
  const reported = new Set(cursor === undefined || cursor === '' ? [] : cursor.split('.'));
  return {
    has: (session) => reported.has(fingerprintOf(session)),
    with: (sessions) => [...new Set([...reported, ...sessions.map(fingerprintOf)])].slice(-MAX_REPORTED).join('.'),
  };
}

/** Changes with another turn, another status or another approval request. */
function fingerprintOf({ id, turnCount, status, pendingApprovals }: Session): string {
  return checksum(
    Buffer.from(JSON.stringify([id, turnCount, status, pendingApprovals.map((approval) => approval.id)])),
  );
}
