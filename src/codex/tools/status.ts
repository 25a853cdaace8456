import { assertSessionAllowed } from '../limits/session-access.ts';
import type { ServerContext } from '../server-context.ts';
import { needsAttention, waitForSessions } from '../sessions/wait-for-sessions.ts';
import { inspectStoredSession } from '../storage/inspect-session.ts';
import { readFinalMessage } from '../views/final-message.ts';
import { toResultPage, toStatusView } from '../views/status-view.ts';
import { toStoredView } from '../views/stored-view.ts';
import { field, READ_ONLY, SESSION_ID, STATUS_SCHEMA } from './schemas.ts';
import { type CodexTool, toSessionResult, toStructuredResult } from './tool.ts';

interface StatusArguments {
  readonly sessionId: string;
  readonly outputLines?: number;
  readonly cursor?: string;
  readonly resultCursor?: string;
  readonly waitSeconds?: number;
}

/** How many agent messages are shown by default. */
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
        outputLines: field.number('Maximum agent messages (default: 50)'),
        cursor: field.text('From an earlier result: return only what is new'),
        resultCursor: field.text('From an earlier result: return only the next page of a long result'),
        waitSeconds: field.number('How long to wait for something new'),
      },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: STATUS_SCHEMA,
    annotations: READ_ONLY,
  },
  async run(args, context, serverContext) {
    // The server has validated the arguments against the input schema.
    const given = args as unknown as StatusArguments;
    const { sessionId, cursor, resultCursor, waitSeconds: seconds = 0 } = given;
    const outputLines = Math.max(0, Math.floor(given.outputLines ?? DEFAULT_OUTPUT_LINES));
    const session = serverContext.sessions.registry.find(sessionId);
    if (resultCursor !== undefined)
      return toStructuredResult(await readResultPage(sessionId, resultCursor, serverContext));
    if (session === undefined) return toSessionResult(await describeStored(sessionId, outputLines, serverContext));
    const seen = cursor ?? session.events.cursor();
    const status = session.status;
    const isOver = () => needsAttention(session) || session.status !== status || session.events.cursor() !== seen;
    await waitForSessions({ sessions: [session], isOver, seconds, context, serverContext });
    return toSessionResult(toStatusView(session, { outputLines, cursor }));
  },
};

/** Returns the next page of a long final message, without anything that the caller already has. */
async function readResultPage(sessionId: string, cursor: string, serverContext: ServerContext) {
  const answer = await readFinalMessage(serverContext, sessionId);
  return { sessionId, status: 'done', ...toResultPage(answer, { cursor }) };
}

/** Describes the last turn of a stored session that this server has not resumed. */
async function describeStored(sessionId: string, outputLines: number, serverContext: ServerContext) {
  await assertSessionAllowed(serverContext, sessionId);
  return toStoredView(await inspectStoredSession(serverContext, { sessionId, limit: 1 }), outputLines);
}
