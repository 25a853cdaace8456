import { refuseForeign } from '../limits/session-access.ts';
import type { Workplace } from '../server-context.ts';
import { needsAttention, waitFor } from '../sessions/wait-for-sessions.ts';
import { readStored } from '../storage/inspect-session.ts';
import { readAnswer } from '../views/final-message.ts';
import { toResult, toStatusView } from '../views/status-view.ts';
import { toStoredView } from '../views/stored-view.ts';
import { field, READ_ONLY, SESSION_ID, STATUS_SCHEMA } from './schemas.ts';
import { type CodexTool, toAnswer, toSessionAnswer } from './tool.ts';

interface StatusArguments {
  readonly sessionId: string;
  readonly outputLines?: number;
  readonly cursor?: string;
  readonly resultCursor?: string;
  readonly waitSeconds?: number;
}

/** How many agent messages are shown when nobody says how many. */
const DEFAULT_OUTPUT_LINES = 50;

export const statusTool: CodexTool = {
  name: 'codex_status',
  definition: {
    title: 'Status of a Codex session',
    description:
      'Everything about a Codex session: status, result, recent output, items with exit codes, changed files, tokens.',
    input: {
      type: 'object',
      properties: {
        sessionId: SESSION_ID,
        outputLines: field.number('How many agent messages at most (default: 50)'),
        cursor: field.text('From an earlier result: only what is new since then'),
        resultCursor: field.text('From an earlier result: only the next page of a long result'),
        waitSeconds: field.number('Wait so long for something new'),
      },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: STATUS_SCHEMA,
    annotations: READ_ONLY,
  },
  async run(args, context, workplace) {
    // The input schema has been checked.
    const given = args as unknown as StatusArguments;
    const { sessionId, cursor, resultCursor, waitSeconds: seconds = 0 } = given;
    const outputLines = Math.max(0, Math.floor(given.outputLines ?? DEFAULT_OUTPUT_LINES));
    const session = workplace.sessions.roster.find(sessionId);
    if (resultCursor !== undefined) return toAnswer(await readResult(sessionId, resultCursor, workplace));
    if (session === undefined) return toSessionAnswer(await describeStored(sessionId, outputLines, workplace));
    const seen = cursor ?? session.events.cursor();
    const status = session.status;
    const isOver = () => needsAttention(session) || session.status !== status || session.events.cursor() !== seen;
    await waitFor({ sessions: [session], isOver, seconds, context, workplace });
    return toSessionAnswer(toStatusView(session, { outputLines, cursor }));
  },
};

/** The next page of a long answer, and nothing that the caller knows already. */
async function readResult(sessionId: string, cursor: string, workplace: Workplace) {
  const answer = await readAnswer(workplace, sessionId);
  return { sessionId, status: 'done', ...toResult(answer, { cursor }) };
}

/** A session that Codex has stored and nobody has resumed here: what it came to last. */
async function describeStored(sessionId: string, outputLines: number, workplace: Workplace) {
  await refuseForeign(workplace, sessionId);
  return toStoredView(await readStored(workplace, { sessionId, limit: 1 }), outputLines);
}
