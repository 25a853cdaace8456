import { refuseForeign } from '../access.ts';
import { readStored } from '../read-stored.ts';
import { toStatusView } from '../status-view.ts';
import { toStoredView } from '../stored-view.ts';
import { needsAttention, waitFor } from '../waiting.ts';
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
    output: sessionSchema({
      isStored: field.flag('Read from the storage of Codex: no turn of it ran in this server'),
      heldElsewhere: field.flag('Another Codex has it open: codex_say needs onConflict "fork"'),
    }),
    annotations: READ_ONLY,
  },
  async run(args, context, workplace) {
    // The input schema has been checked.
    const given = args as unknown as StatusArguments;
    const { sessionId, cursor, waitSeconds: seconds = 0 } = given;
    const outputLines = Math.max(0, Math.floor(given.outputLines ?? DEFAULT_OUTPUT_LINES));
    const session = workplace.sessions.roster.find(sessionId);
    if (session === undefined)
      return toAnswer(await describeStored(sessionId, outputLines, workplace), linksTo(sessionId));
    const seen = cursor ?? session.events.cursor();
    const status = session.status;
    const isOver = () => needsAttention(session) || session.status !== status || session.events.cursor() !== seen;
    await waitFor({ sessions: [session], isOver, seconds, context, workplace });
    return toAnswer(toStatusView(session, { outputLines, cursor }), linksTo(sessionId));
  },
};

/** A session that Codex has stored and nobody has resumed here: what it came to last. */
async function describeStored(sessionId: string, outputLines: number, workplace: Workplace) {
  await refuseForeign(workplace, sessionId);
  return toStoredView(await readStored(workplace, { sessionId, limit: 1 }), outputLines);
}
