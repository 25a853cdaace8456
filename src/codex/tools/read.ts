import { assertSessionAllowed } from '../limits/session-access.ts';
import type { ServerContext } from '../server-context.ts';
import { inspectStoredSession } from '../storage/inspect-session.ts';
import type { ReadQuery } from '../storage/stored-session.ts';
import { toTurnViews } from '../views/turns-view.ts';
import { field, listOf, objectOf, READ_ONLY, SESSION_ID, STRING } from './schemas.ts';
import { type CodexTool, toSessionResult } from './tool.ts';

interface ReadArguments {
  readonly sessionId: string;
  readonly cursor?: string;
  readonly limit?: number;
}

const DEFAULT_TURNS = 5;
const MAX_TURNS = 50;

export const readTool: CodexTool = {
  name: 'codex_read',
  definition: {
    title: 'Read a Codex session',
    description: 'Read the transcript of a Codex session in pages, newest turns first, without resuming it.',
    input: {
      type: 'object',
      properties: {
        sessionId: SESSION_ID,
        limit: field.number('Maximum turns (default: 5)'),
        cursor: field.text('nextCursor of an earlier result, for older turns'),
      },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: objectOf(
      {
        sessionId: STRING,
        turns: listOf(
          {
            turnId: STRING,
            status: STRING,
            entries: listOf({ role: STRING, type: STRING, text: STRING }, ['role', 'type', 'text']),
          },
          ['turnId', 'status', 'entries'],
        ),
        heldElsewhere: field.flag('Open in another Codex, which may change it'),
        nextCursor: STRING,
        truncated: field.flag('Truncated: the linked transcript has more'),
      },
      ['sessionId', 'turns'],
    ),
    annotations: READ_ONLY,
  },
  async run(args, _context, serverContext) {
    // The server has validated the arguments against the input schema.
    const { sessionId, cursor, limit = DEFAULT_TURNS } = args as unknown as ReadArguments;
    const query = {
      sessionId,
      limit: Math.min(Math.max(1, Math.floor(limit)), MAX_TURNS),
      ...(cursor === undefined ? {} : { cursor }),
    };
    await assertSessionAllowed(serverContext, sessionId);
    return toSessionResult(await readPage(serverContext, query));
  },
};

/** Reads a page. If the turns are too large for one result, returns fewer of them, and a cursor for the rest. */
async function readPage(serverContext: ServerContext, query: ReadQuery): Promise<Readonly<Record<string, unknown>>> {
  const { timestamp, directory, turns, nextCursor, isHeld } = await inspectStoredSession(serverContext, query);
  const { views, isCut } = toTurnViews(turns);
  if (views.length < turns.length) return readPage(serverContext, { ...query, limit: views.length });
  return {
    sessionId: query.sessionId,
    timestamp,
    ...(directory === undefined ? {} : { workingDirectory: directory }),
    ...(isHeld === true ? { heldElsewhere: true } : {}),
    turns: views,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ...(isCut ? { truncated: true } : {}),
  };
}
