import { SESSION_ID, sessionSchema } from './schemas.ts';
import { type CodexTool, linksTo, toAnswer } from './tool.ts';

export const interruptTool: CodexTool = {
  name: 'codex_interrupt',
  definition: {
    title: 'Interrupt a Codex session',
    description:
      'Interrupt a running Codex session: ends its turn, refuses what it waits for, and ends the shell commands that it started. It can go on later with codex_say.',
    input: {
      type: 'object',
      properties: { sessionId: SESSION_ID },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: sessionSchema({ note: { type: 'string' }, droppedMessages: { type: 'number' } }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async run(args, _context, { sessions }) {
    const { session, wasRunning, droppedMessages } = await sessions.interrupt(String(args['sessionId']));
    return toAnswer(
      {
        sessionId: session.id,
        status: session.status,
        ...(wasRunning ? {} : { note: 'No turn was running; commands that were left running are ended.' }),
        ...(droppedMessages === 0 ? {} : { droppedMessages }),
      },
      linksTo(session.id).slice(0, 1),
    );
  },
};
