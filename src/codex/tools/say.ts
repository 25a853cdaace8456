import type { TurnSettings } from '../engine.ts';
import type { ApprovalPolicy, SandboxMode } from '../item-types.ts';
import { refuseSandbox } from '../limits/operator-limits.ts';
import { refuseForeign } from '../limits/session-access.ts';
import { checkImages } from '../settings/check-paths.ts';
import { keepChanges, restoreSettings } from '../settings/restored-settings.ts';
import { checkText, toPolicy } from '../settings/start-settings.ts';
import { APPROVAL_POLICY, field, OPEN_ENDED, outcomeSchema, SANDBOX, SESSION_ID, WAIT_SECONDS } from './schemas.ts';
import type { CodexTool } from './tool.ts';
import { answerAfter, toDriver } from './turn-call.ts';

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
    description:
      'Send a message to a Codex session. Resumes any session, also one from an earlier run or from the terminal.',
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
            "While a turn is running: fail (default), put the message into it ('steer'), or make it the next turn ('queue')",
        },
        onConflict: {
          type: 'string',
          enum: ['error', 'fork'],
          description:
            "When another Codex has the session open: fail (default), or continue in a copy ('fork') with a new id",
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
    output: outcomeSchema({ delivered: { type: 'string' } }),
    annotations: OPEN_ENDED,
  },
  async run(args, context, workplace) {
    // The input schema has been checked.
    const given = args as unknown as SayArguments;
    const { sessionId, onBusy = 'error', onConflict = 'error' } = given;
    const text = checkText(given.message, 'message');
    const { sessions } = workplace;
    await refuseForeign(workplace, sessionId);
    const folder = sessions.roster.find(sessionId)?.opened.cwd || workplace.cwd;
    const images = await checkImages(given.images ?? [], folder, workplace);
    const { turn, warnings } = toTurn(given);
    if (turn.sandbox !== undefined) refuseSandbox(workplace.ceilings, turn.sandbox);
    const { settings, origin } = await restoreSettings(sessionId, workplace);
    const driver = await toDriver(context, workplace, origin);
    const said = await sessions.say(sessionId, turn, { text, images }, { ...driver, settings, onBusy, onConflict });
    if (said.how !== 'steered') await keepChanges(sessionId, said.session, turn, workplace);
    for (const warning of warnings) said.session.warn(warning);
    // The turn that is running belongs to an earlier call: only one's own message can be taken back.
    const isOwn = said.how === 'started' || said.how === 'forked';
    return answerAfter(said.session, context, workplace, {
      seconds: given.waitSeconds,
      more: { delivered: said.how },
      ...(isOwn ? {} : { giveUp: async () => said.takeBack?.() }),
    });
  },
};

function toTurn(given: SayArguments): { turn: TurnSettings; warnings: readonly string[] } {
  const { model, effort, sandbox, outputSchema } = given;
  const { policy, warnings } = toPolicy(given.approvalPolicy);
  const turn = {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(policy === undefined ? {} : { approvalPolicy: policy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
  return { turn, warnings };
}
