import { messageOf } from '../../base/errors.ts';
import type { Session } from '../session.ts';
import type { Usage } from '../words.ts';
import { READ_ONLY, SESSION_ID } from './schemas.ts';
import { type CodexTool, toAnswer } from './tool.ts';

const NOTHING: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningOutputTokens: 0 };
const MAX_SESSIONS = 200;

export const usageTool: CodexTool = {
  name: 'codex_usage',
  definition: {
    title: 'Usage of Codex',
    description:
      'The tokens that the sessions of this server have used, each and together, and the limits of the account.',
    input: { type: 'object', properties: { sessionId: SESSION_ID }, additionalProperties: false },
    output: {
      type: 'object',
      properties: {
        sessions: { type: 'array', items: { type: 'object' } },
        total: { type: 'object' },
        rateLimits: { type: 'object' },
        rateLimitsUnknown: { type: 'string' },
      },
      required: ['sessions', 'total'],
    },
    annotations: READ_ONLY,
  },
  async run(args, _context, { sessions }) {
    const { sessionId } = args;
    const shown = typeof sessionId === 'string' ? [sessions.roster.get(sessionId)] : sessions.roster.all();
    return toAnswer({
      sessions: shown.slice(-MAX_SESSIONS).map(describe),
      total: shown.reduce((sum, { usage }) => add(sum, usage ?? NOTHING), NOTHING),
      ...(await readLimits(() => sessions.engine.rateLimits())),
    });
  },
};

function describe({ id, usage, turn, turnCount }: Session) {
  return {
    sessionId: id,
    usage: usage ?? NOTHING,
    ...(turn?.usage === undefined ? {} : { turnUsage: turn.usage }),
    turnCount,
  };
}

function add(sum: Usage, more: Usage): Usage {
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    cachedInputTokens: sum.cachedInputTokens + more.cachedInputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    reasoningOutputTokens: sum.reasoningOutputTokens + more.reasoningOutputTokens,
  };
}

/** Whoever pays by key, or is not signed in, has no limits that Codex knows of: the tokens are told all the same. */
async function readLimits(read: () => Promise<Readonly<Record<string, unknown>>>) {
  try {
    return { rateLimits: await read() };
  } catch (error) {
    return { rateLimitsUnknown: messageOf(error) };
  }
}
