import { NUMBER, SESSION_ID, STRING, sessionSchema } from './schemas.ts';
import { type CodexTool, toStructuredResult } from './tool.ts';

export const interruptTool: CodexTool = {
  name: 'codex_interrupt',
  definition: {
    title: 'Interrupt a Codex session',
    description: 'Stop the running turn of a Codex session and its shell commands. codex_say continues it later.',
    input: {
      type: 'object',
      properties: { sessionId: SESSION_ID },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: sessionSchema({ note: STRING, droppedMessages: NUMBER }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async run(args, _context, { sessions }) {
    const { session, wasRunning, droppedMessages, notes } = await sessions.interrupt(String(args['sessionId']));
    return toStructuredResult({
      sessionId: session.id,
      status: session.status,
      ...noteOf(wasRunning, notes),
      ...(droppedMessages === 0 ? {} : { droppedMessages }),
    });
  },
};

function noteOf(wasRunning: boolean, notes: readonly string[]) {
  const idle =
    notes.length === 0 ? 'No turn was running. Commands still running were stopped.' : 'No turn was running.';
  const all = wasRunning ? notes : [idle, ...notes];
  return all.length === 0 ? {} : { note: all.join(' ') };
}
