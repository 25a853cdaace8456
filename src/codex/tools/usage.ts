import { messageOf } from '../../base/errors.ts';
import { addUsage, NO_USAGE } from '../item-types.ts';
import type { Session } from '../sessions/session.ts';
import { OBJECT, objectOf, READ_ONLY, SESSION_ID, STRING } from './schemas.ts';
import { type CodexTool, toStructuredResult } from './tool.ts';

const MAX_SESSIONS = 200;

export const usageTool: CodexTool = {
  name: 'codex_usage',
  definition: {
    title: 'Codex usage',
    description:
      "Tokens used per session, overall (usage) and in this server (usedHere), their sum here (total), and the account's limits.",
    input: { type: 'object', properties: { sessionId: SESSION_ID }, additionalProperties: false },
    output: objectOf(
      {
        sessions: { type: 'array', items: OBJECT },
        total: OBJECT,
        rateLimits: OBJECT,
        rateLimitsUnknown: STRING,
      },
      ['sessions', 'total'],
    ),
    annotations: READ_ONLY,
  },
  async run(args, _context, { sessions }) {
    const { sessionId } = args;
    const listed = typeof sessionId === 'string' ? [sessions.registry.get(sessionId)] : sessions.registry.all();
    return toStructuredResult({
      sessions: listed.slice(-MAX_SESSIONS).map(describe),
      total: listed.reduce((sum, { usedHere }) => addUsage(sum, usedHere), NO_USAGE),
      ...(await readLimits(() => sessions.engine.rateLimits())),
    });
  },
};

function describe({ id, usage, usedHere, turn, turnCount }: Session) {
  return {
    sessionId: id,
    usage: usage ?? NO_USAGE,
    usedHere,
    ...(turn?.usage === undefined ? {} : { turnUsage: turn.usage }),
    turnCount,
  };
}

/** Codex has no limits for an API key or without a sign-in. The tool reports the tokens in any case. */
async function readLimits(read: () => Promise<Readonly<Record<string, unknown>>>) {
  try {
    return { rateLimits: await read() };
  } catch (error) {
    return { rateLimitsUnknown: messageOf(error) };
  }
}
