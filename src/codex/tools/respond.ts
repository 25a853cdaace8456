import { questionsOf } from '../question-view.ts';
import { field, SESSION_ID, sessionSchema } from './schemas.ts';
import { type CodexTool, linksTo, toAnswer } from './tool.ts';

interface RespondArguments {
  readonly sessionId: string;
  readonly id: string;
  readonly answers: readonly string[];
}

export const respondTool: CodexTool = {
  name: 'codex_respond',
  definition: {
    title: 'Answer a question of a Codex session',
    description:
      "Respond to a pending approval or question in a Codex session: one answer per question, from the options shown in codex_status. An approval may carry a reason after a colon (e.g. 'deny: too risky'), which Codex reads.",
    input: {
      type: 'object',
      properties: {
        sessionId: SESSION_ID,
        id: field.text('The id from pendingQuestion.id in codex_status'),
        answers: field.texts(
          "One answer per question: an option ('approve'), an option with a reason ('deny: too dangerous'), or for a form its JSON",
        ),
      },
      required: ['sessionId', 'id', 'answers'],
      additionalProperties: false,
    },
    output: sessionSchema(),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  async run(args, _context, { sessions }) {
    // The input schema has been checked.
    const { sessionId, id, answers } = args as unknown as RespondArguments;
    const { warning } = await sessions.respond(sessionId, id, answers);
    const session = sessions.roster.get(sessionId);
    const warnings = warning === undefined ? {} : { warnings: [warning] };
    return toAnswer(
      { sessionId, status: session.status, ...questionsOf(session), ...warnings },
      linksTo(sessionId).slice(0, 1),
    );
  },
};
