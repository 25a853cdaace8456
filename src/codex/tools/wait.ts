import { AppError } from '../../base/errors.ts';
import { toBriefView } from '../brief-view.ts';
import type { Session } from '../session.ts';
import { toStatusView } from '../status-view.ts';
import { needsAttention, waitFor } from '../waiting.ts';
import { field, READ_ONLY, sessionSchema } from './schemas.ts';
import { type CodexTool, linksTo, toAnswer } from './tool.ts';

interface WaitArguments {
  readonly sessionIds: readonly string[];
  readonly mode?: 'any' | 'all';
  readonly timeoutSeconds?: number;
}

const MAX_SESSIONS = 50;
const FEW_LINES = 3;
/** Of all sessions together: the more there are, the less is told of each. */
const MAX_CHARS = 160_000;

export const waitTool: CodexTool = {
  name: 'codex_wait',
  definition: {
    title: 'Wait for Codex sessions',
    description:
      'Wait until one (any) or all of several Codex sessions are done or need an answer. Returns the status of each; call it again while some are active.',
    input: {
      type: 'object',
      properties: {
        sessionIds: field.texts('The sessions to wait for'),
        mode: { type: 'string', enum: ['any', 'all'], description: "Default: 'all'" },
        timeoutSeconds: field.number('Wait so long at most. Default: as long as the client lets a call run'),
      },
      required: ['sessionIds'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        isOver: field.flag('What was waited for has happened; false when the time was over first'),
        sessions: { type: 'array', items: sessionSchema() },
      },
      required: ['isOver', 'sessions'],
    },
    annotations: READ_ONLY,
  },
  async run(args, context, workplace) {
    // The input schema has been checked.
    const {
      sessionIds,
      mode = 'all',
      timeoutSeconds: seconds = Number.MAX_SAFE_INTEGER,
    } = args as unknown as WaitArguments;
    const ids = [...new Set(sessionIds)];
    if (ids.length === 0 || ids.length > MAX_SESSIONS)
      throw new AppError('BAD_ARGUMENTS', `sessionIds must name 1 to ${MAX_SESSIONS} sessions.`);
    const sessions = ids.map((id) => workplace.sessions.roster.get(id));
    const isOver = () =>
      mode === 'any' ? sessions.some(needsAttention) : sessions.every(needsAttention) || sessions.some(isStuck);
    await waitFor({ sessions, isOver, seconds, context, workplace });
    const outputLines = sessions.length === 1 ? 50 : FEW_LINES;
    const maxChars = Math.floor(MAX_CHARS / sessions.length);
    const views = sessions.map((session) => toBriefView(toStatusView(session, { outputLines }), maxChars));
    const links = sessions.flatMap(({ id }) => linksTo(id).slice(0, sessions.length === 1 ? 3 : 1));
    return toAnswer({ isOver: isOver(), sessions: views }, links);
  },
};

/** Without an answer it will never be done: whoever waits for all of them has to hear of it at once. */
function isStuck(session: Session): boolean {
  return session.isRunning && needsAttention(session);
}
