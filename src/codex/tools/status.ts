import { refuseForeign } from '../access.ts';
import { cut } from '../cut.ts';
import type { StoredSession, StoredTurn } from '../engine.ts';
import { lastOf, toStatusView } from '../status-view.ts';
import { waitFor } from '../waiting.ts';
import type { Workplace } from '../workplace.ts';
import { DEFAULT_OUTPUT_LINES } from './drive.ts';
import { field, READ_ONLY, SESSION_ID, sessionSchema } from './schemas.ts';
import { type CodexTool, linksTo, toAnswer } from './tool.ts';

interface StatusArguments {
  readonly sessionId: string;
  readonly outputLines?: number;
  readonly cursor?: string;
  readonly waitSeconds?: number;
}

export const statusTool: CodexTool = {
  name: 'codex_status',
  definition: {
    title: 'Status of a Codex session',
    description: 'Get the current status and recent output of a Codex session, and what it waits for.',
    input: {
      type: 'object',
      properties: {
        sessionId: SESSION_ID,
        outputLines: field.number('How many recent agent messages to return (default: 50)'),
        cursor: field.text('From an earlier result: return only what is new since then'),
        waitSeconds: field.number('Wait so long for something new. Default: return at once'),
      },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: sessionSchema({ isStored: field.flag('Read from the storage of Codex: no turn of it ran in this server') }),
    annotations: READ_ONLY,
  },
  async run(args, context, workplace) {
    // The input schema has been checked.
    const given = args as unknown as StatusArguments;
    const { sessionId, cursor, waitSeconds: seconds = 0 } = given;
    const outputLines = Math.max(0, Math.floor(given.outputLines ?? DEFAULT_OUTPUT_LINES));
    const session = workplace.sessions.roster.find(sessionId);
    if (session === undefined) return toAnswer(await readStored(sessionId, outputLines, workplace), linksTo(sessionId));
    const seen = cursor ?? session.events.cursor();
    const status = session.status;
    const isOver = () => !session.isRunning || session.status !== status || session.events.cursor() !== seen;
    await waitFor({ sessions: [session], isOver, seconds, context, workplace });
    return toAnswer(toStatusView(session, { outputLines, cursor }), linksTo(sessionId));
  },
};

/** A session that Codex has stored and nobody has resumed here: what it came to last. */
async function readStored(sessionId: string, outputLines: number, workplace: Workplace) {
  await refuseForeign(workplace, sessionId);
  return toStoredView(await workplace.sessions.engine.read({ sessionId, limit: 1 }), outputLines);
}

function toStoredView(stored: StoredSession, outputLines: number) {
  const turn = stored.turns.at(-1);
  const messages = (turn?.entries ?? []).filter(({ type }) => type === 'agent_message').map(({ text }) => text);
  const result = messages.at(-1);
  const { directory } = stored;
  return {
    sessionId: stored.sessionId,
    status: toStatus(turn),
    isStored: true,
    ...(result === undefined || turn?.status !== 'completed' ? {} : { result: cut(result, MAX_RESULT_CHARS) }),
    ...(turn?.failure === undefined ? {} : { error: turn.failure }),
    recentOutput: lastOf(messages, outputLines).map((text) => cut(text, MAX_RESULT_CHARS)),
    itemEvents: [],
    ...(directory === undefined ? {} : { workingDirectory: directory }),
  };
}

const MAX_RESULT_CHARS = 16_000;

/** Of a turn that has no end another Codex may still be working on it; for us it is not running. */
function toStatus(turn: StoredTurn | undefined): string {
  if (turn === undefined || turn.status === 'completed') return 'done';
  return turn.status === 'failed' ? 'error' : 'interrupted';
}
