import { AppError } from '../../base/errors.ts';
import type { Session } from '../sessions/session.ts';
import { needsAttention, waitForSessions } from '../sessions/wait-for-sessions.ts';
import { toBriefView } from '../views/brief-view.ts';
import { toOutcomeView } from '../views/outcome-view.ts';
import { field, OUTCOME, objectOf, READ_ONLY, STRING } from './schemas.ts';
import { type CodexTool, resourceLinks, toStructuredResult } from './tool.ts';
import { parseWaitCursor } from './wait-cursor.ts';

interface WaitArguments {
  readonly sessionIds: readonly string[];
  readonly mode?: 'any' | 'all';
  readonly cursor?: string;
  readonly timeoutSeconds?: number;
}

const MAX_SESSIONS = 50;
/** The budget of all sessions together: the more sessions, the less detail for each. */
const MAX_CHARS = 160_000;
const MAX_RESULT_CHARS = 24_000;
/** The final message may use this share of a session's budget. */
const RESULT_SHARE = 0.6;

export const waitTool: CodexTool = {
  name: 'codex_wait',
  definition: {
    title: 'Wait for Codex sessions',
    description:
      'Wait until one (any) or all of several Codex sessions are done or need an answer. Returns the result of each; call it again while some are active.',
    input: {
      type: 'object',
      properties: {
        sessionIds: field.texts('Sessions to wait for'),
        mode: { type: 'string', enum: ['any', 'all'], description: 'Default: all' },
        cursor: field.text('From an earlier result: skip what was already returned'),
        timeoutSeconds: field.number('Default: as long as the client allows'),
      },
      required: ['sessionIds'],
      additionalProperties: false,
    },
    output: objectOf(
      {
        isOver: field.flag('false: timed out first'),
        sessions: { type: 'array', items: { type: 'object', properties: OUTCOME } },
        cursor: STRING,
        remaining: field.number('Sessions still running'),
      },
      ['isOver', 'sessions'],
    ),
    annotations: READ_ONLY,
  },
  async run(args, context, serverContext) {
    // The server has validated the arguments against the input schema.
    const given = args as unknown as WaitArguments;
    const { mode = 'all', cursor, timeoutSeconds: seconds = Number.MAX_SAFE_INTEGER } = given;
    const ids = [...new Set(given.sessionIds)];
    if (ids.length === 0 || ids.length > MAX_SESSIONS)
      throw new AppError('BAD_ARGUMENTS', `sessionIds must name 1 to ${MAX_SESSIONS} sessions.`);
    const reported = parseWaitCursor(cursor);
    const sessions = ids.map((id) => serverContext.sessions.registry.get(id));
    const isUnreported = (session: Session) => needsAttention(session) && !reported.has(session);
    const isRunning = (session: Session) => !needsAttention(session);
    const isOver = () => {
      if (mode === 'any') return sessions.some(isUnreported) || !sessions.some(isRunning);
      return (
        sessions.every(needsAttention) || sessions.some((session) => needsAnswer(session) && isUnreported(session))
      );
    };
    await waitForSessions({ sessions, isOver, seconds, context, serverContext });
    const reportedNow = cursor === undefined ? sessions : sessions.filter(isUnreported);
    const views = reportedNow.map((session) => describe(session, reportedNow.length));
    const hasCursor = mode === 'any' || cursor !== undefined;
    const cursorFields = {
      cursor: reported.with(reportedNow.filter(needsAttention)),
      remaining: sessions.filter(isRunning).length,
    };
    return toStructuredResult(
      { isOver: isOver(), sessions: views, ...(hasCursor ? cursorFields : {}) },
      views.flatMap(resourceLinks),
    );
  },
};

function describe(session: Session, count: number) {
  const maxChars = Math.floor(MAX_CHARS / count);
  const maxResultChars = Math.min(MAX_RESULT_CHARS, Math.floor(maxChars * RESULT_SHARE));
  return toBriefView(toOutcomeView(session, { maxResultChars }), maxChars);
}

/** A session that needs an answer never completes by itself, so a call that waits for all sessions returns at once. */
function needsAnswer(session: Session): boolean {
  return session.isRunning && needsAttention(session);
}
