import { refuseForeign } from '../access.ts';
import { cut } from '../cut.ts';
import { field, READ_ONLY, SESSION_ID } from './schemas.ts';
import { type CodexTool, linksTo, toAnswer } from './tool.ts';

interface ReadArguments {
  readonly sessionId: string;
  readonly cursor?: string;
  readonly limit?: number;
}

const DEFAULT_TURNS = 5;
const MAX_TURNS = 50;
const MAX_ENTRY_CHARS = 4_000;
const MAX_ENTRIES = 100;

export const readTool: CodexTool = {
  name: 'codex_read',
  definition: {
    title: 'Read a Codex session',
    description: 'Read what was said and done in a Codex session, newest turns first in pages, without resuming it.',
    input: {
      type: 'object',
      properties: {
        sessionId: SESSION_ID,
        limit: field.number('How many turns (default: 5)'),
        cursor: field.text('nextCursor of an earlier result: the turns before those'),
      },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        sessionId: { type: 'string' },
        turns: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              turnId: { type: 'string' },
              status: { type: 'string' },
              entries: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: { role: { type: 'string' }, type: { type: 'string' }, text: { type: 'string' } },
                  required: ['role', 'type', 'text'],
                },
              },
            },
            required: ['turnId', 'status', 'entries'],
          },
        },
        nextCursor: { type: 'string' },
      },
      required: ['sessionId', 'turns'],
    },
    annotations: READ_ONLY,
  },
  async run(args, _context, workplace) {
    const { sessions } = workplace;
    // The input schema has been checked.
    const { sessionId, cursor, limit = DEFAULT_TURNS } = args as unknown as ReadArguments;
    const page = {
      limit: Math.min(Math.max(1, Math.floor(limit)), MAX_TURNS),
      ...(cursor === undefined ? {} : { cursor }),
    };
    await refuseForeign(workplace, sessionId);
    const stored = await sessions.engine.read({ sessionId, ...page });
    const turns = stored.turns.map(({ turnId, status, entries, failure }) => ({
      turnId,
      status,
      entries: entries
        .slice(-MAX_ENTRIES)
        .map(({ role, type, text }) => ({ role, type, text: cut(text, MAX_ENTRY_CHARS) })),
      ...(failure === undefined ? {} : { error: failure }),
    }));
    const { nextCursor, directory, timestamp } = stored;
    return toAnswer(
      {
        sessionId,
        timestamp,
        ...(directory === undefined ? {} : { workingDirectory: directory }),
        turns,
        ...(nextCursor === undefined ? {} : { nextCursor }),
      },
      linksTo(sessionId),
    );
  },
};
