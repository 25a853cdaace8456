import type { TurnSettings } from '../engine.ts';
import type { ApprovalPolicy, SandboxMode } from '../item-types.ts';
import { assertSandboxAllowed } from '../limits/operator-limits.ts';
import { assertSessionAllowed } from '../limits/session-access.ts';
import { checkImages } from '../settings/check-paths.ts';
import { restoreSettings, saveChanges } from '../settings/restored-settings.ts';
import { checkText, toApprovalPolicy } from '../settings/start-settings.ts';
import {
  APPROVAL_POLICY,
  field,
  OPEN_ENDED,
  outcomeSchema,
  SANDBOX,
  SESSION_ID,
  STRING,
  WAIT_SECONDS,
} from './schemas.ts';
import type { CodexTool } from './tool.ts';
import { toTurnCaller, toTurnResult } from './turn-call.ts';

interface SayArguments {
  readonly sessionId: string;
  readonly message: string;
  readonly images?: readonly string[];
  readonly onBusy?: 'error' | 'steer' | 'queue';
  readonly onConflict?: 'error' | 'fork';
  readonly model?: string;
  readonly effort?: string;
  readonly approvalPolicy?: ApprovalPolicy | 'on-failure';
  readonly sandbox?: SandboxMode;
  readonly outputSchema?: unknown;
  readonly waitSeconds?: number;
}

export const sayTool: CodexTool = {
  name: 'codex_say',
  definition: {
    title: 'Send a message to a Codex session',
    description: 'Send a message to a Codex session. Resumes any session, including from earlier runs or the terminal.',
    input: {
      type: 'object',
      properties: {
        sessionId: SESSION_ID,
        message: { type: 'string' },
        images: field.texts('Paths of image files'),
        onBusy: {
          type: 'string',
          enum: ['error', 'steer', 'queue'],
          description:
            "If a turn is running: fail (default), add the message to it ('steer'), or send it as the next turn ('queue')",
        },
        onConflict: {
          type: 'string',
          enum: ['error', 'fork'],
          description:
            "If another Codex has the session open: fail (default), or continue in a copy with a new id ('fork')",
        },
        model: { type: 'string' },
        effort: { type: 'string' },
        approvalPolicy: APPROVAL_POLICY,
        sandbox: SANDBOX,
        outputSchema: { type: 'object', description: 'JSON Schema of the final message' },
        waitSeconds: WAIT_SECONDS,
      },
      required: ['sessionId', 'message'],
      additionalProperties: false,
    },
    output: outcomeSchema({ delivered: STRING }),
    annotations: OPEN_ENDED,
  },
  async run(args, context, serverContext) {
    // The server has validated the arguments against the input schema.
    const given = args as unknown as SayArguments;
    const { sessionId, onBusy = 'error', onConflict = 'error' } = given;
    const text = checkText(given.message, 'message');
    const { sessions } = serverContext;
    await assertSessionAllowed(serverContext, sessionId);
    const folder = sessions.registry.find(sessionId)?.opened.cwd || serverContext.cwd;
    const images = await checkImages(given.images ?? [], folder, serverContext);
    const { turn, warnings } = toTurnSettings(given);
    if (turn.sandbox !== undefined) assertSandboxAllowed(serverContext.operatorLimits, turn.sandbox);
    const { settings, origin } = await restoreSettings(sessionId, serverContext);
    const caller = await toTurnCaller(context, serverContext, origin);
    const result = await sessions.say(
      sessionId,
      turn,
      { text, images },
      {
        ...caller,
        ...{ settings, origin, onBusy, onConflict },
        onAccepted: (session) => saveChanges(sessionId, session, turn, serverContext),
      },
    );
    for (const warning of warnings) result.session.warn(warning);
    // The running turn belongs to an earlier call. Cancelling this call only removes its own message.
    const isOwn = result.delivery === 'started' || result.delivery === 'forked';
    return toTurnResult(result.session, context, serverContext, {
      seconds: given.waitSeconds,
      extraFields: { delivered: result.delivery },
      ...(isOwn ? {} : { onAbandoned: async () => result.cancelQueued?.() }),
    });
  },
};

function toTurnSettings(given: SayArguments): { turn: TurnSettings; warnings: readonly string[] } {
  const { model, effort, sandbox, outputSchema } = given;
  const { policy, warnings } = toApprovalPolicy(given.approvalPolicy);
  const turn = {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(policy === undefined ? {} : { approvalPolicy: policy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
  return { turn, warnings };
}
