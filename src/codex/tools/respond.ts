import { viewPendingApprovals } from '../views/approval-view.ts';
import { field, OBJECT, SESSION_ID, sessionSchema } from './schemas.ts';
import { type CodexTool, toStructuredResult } from './tool.ts';

interface RespondArguments {
  readonly sessionId: string;
  readonly id: string;
  readonly answers: readonly string[];
}

export const respondTool: CodexTool = {
  name: 'codex_respond',
  definition: {
    title: 'Answer a question from a Codex session',
    description:
      "Answer the questions of a Codex session: one answer per question, from the options shown. Add a reason for Codex after a colon ('deny: too risky').",
    input: {
      type: 'object',
      properties: {
        sessionId: SESSION_ID,
        id: field.text('pendingQuestion.id'),
        answers: field.texts('Options; for a form, its JSON'),
      },
      required: ['sessionId', 'id', 'answers'],
      additionalProperties: false,
    },
    output: sessionSchema({ pendingQuestion: OBJECT }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  async run(args, _context, { sessions }) {
    // The server has validated the arguments against the input schema.
    const { sessionId, id, answers } = args as unknown as RespondArguments;
    const { warning } = await sessions.respond(sessionId, id, answers);
    const session = sessions.registry.get(sessionId);
    const warnings = warning === undefined ? {} : { warnings: [warning] };
    return toStructuredResult({ sessionId, status: session.status, ...viewPendingApprovals(session), ...warnings });
  },
};
