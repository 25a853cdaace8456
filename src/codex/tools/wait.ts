import { AppError } from '../../base/errors.ts';
import type { Session } from '../sessions/session.ts';
import { needsAttention, waitFor } from '../sessions/wait-for-sessions.ts';
import { toBriefView } from '../views/brief-view.ts';
import { toOutcome } from '../views/outcome-view.ts';
import { field, OUTCOME, READ_ONLY } from './schemas.ts';
import { type CodexTool, linksOf, toAnswer } from './tool.ts';
import { readTold } from './wait-cursor.ts';

interface WaitArguments {
  readonly sessionIds: readonly string[];
  readonly mode?: 'any' | 'all';
  readonly cursor?: string;
  readonly timeoutSeconds?: number;
}

const MAX_SESSIONS = 50;
/** Of all sessions together: the more there are, the less is told of each. */
const MAX_CHARS = 160_000;
const MAX_RESULT_CHARS = 24_000;
/** Of what is told of one session, the answer may take so much. */
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
        sessionIds: field.texts('The sessions to wait for'),
        mode: { type: 'string', enum: ['any', 'all'], description: 'Default: all' },
        cursor: field.text('From an earlier result: leaves out, and does not wait for, what was returned by then'),
        timeoutSeconds: field.number('Default: as long as the client lets a call run'),
      },
      required: ['sessionIds'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        isOver: field.flag('false: it timed out first'),
        sessions: { type: 'array', items: { type: 'object', properties: OUTCOME } },
        cursor: { type: 'string' },
        remaining: field.number('Sessions that still run'),
      },
      required: ['isOver', 'sessions'],
    },
    annotations: READ_ONLY,
  },
  async run(args, context, workplace) {
    // The input schema has been checked.
    const given = args as unknown as WaitArguments;
    const { mode = 'all', cursor, timeoutSeconds: seconds = Number.MAX_SAFE_INTEGER } = given;
    const ids = [...new Set(given.sessionIds)];
    if (ids.length === 0 || ids.length > MAX_SESSIONS)
      throw new AppError('BAD_ARGUMENTS', `sessionIds must name 1 to ${MAX_SESSIONS} sessions.`);
    const told = readTold(cursor);
    const sessions = ids.map((id) => workplace.sessions.roster.get(id));
    const isNews = (session: Session) => needsAttention(session) && !told.has(session);
    const isRunning = (session: Session) => !needsAttention(session);
    const isOver = () => {
      if (mode === 'any') return sessions.some(isNews) || !sessions.some(isRunning);
      return sessions.every(needsAttention) || sessions.some((session) => isStuck(session) && isNews(session));
    };
    await waitFor({ sessions, isOver, seconds, context, workplace });
    const shown = cursor === undefined ? sessions : sessions.filter(isNews);
    const views = shown.map((session) => describe(session, shown.length));
    const hasCursor = mode === 'any' || cursor !== undefined;
    const place = { cursor: told.with(shown.filter(needsAttention)), remaining: sessions.filter(isRunning).length };
    return toAnswer({ isOver: isOver(), sessions: views, ...(hasCursor ? place : {}) }, views.flatMap(linksOf));
  },
};

function describe(session: Session, count: number) {
  const maxChars = Math.floor(MAX_CHARS / count);
  const maxResultChars = Math.min(MAX_RESULT_CHARS, Math.floor(maxChars * RESULT_SHARE));
  return toBriefView(toOutcome(session, { maxResultChars }), maxChars);
}

/** Without an answer it will never be done: whoever waits for all of them has to hear of it at once. */
function isStuck(session: Session): boolean {
  return session.isRunning && needsAttention(session);
}
