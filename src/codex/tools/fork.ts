import { assertSessionAllowed } from '../limits/session-access.ts';
import { restoreSettings, saveChanges } from '../settings/restored-settings.ts';
import { checkText } from '../settings/start-settings.ts';
import { field, OPEN_ENDED, outcomeSchema, SESSION_ID, STRING, WAIT_SECONDS } from './schemas.ts';
import type { CodexTool } from './tool.ts';
import { toTurnCaller, toTurnResult } from './turn-call.ts';

interface ForkArguments {
  readonly sessionId: string;
  readonly message?: string;
  readonly lastTurnId?: string;
  readonly waitSeconds?: number;
}

export const forkTool: CodexTool = {
  name: 'codex_fork',
  definition: {
    title: 'Fork a Codex session',
    description:
      'Copy a Codex session into a new one that continues independently, and optionally send it a first message.',
    input: {
      type: 'object',
      properties: {
        sessionId: SESSION_ID,
        message: field.text('First message to the fork. Without it, the fork waits for codex_say'),
        lastTurnId: field.text('Last turn to copy (from codex_read). Default: all'),
        waitSeconds: WAIT_SECONDS,
      },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: outcomeSchema({ forkedFrom: STRING }),
    annotations: OPEN_ENDED,
  },
  async run(args, context, serverContext) {
    // The server has validated the arguments against the input schema.
    const { sessionId, message, lastTurnId, waitSeconds } = args as unknown as ForkArguments;
    const text = message === undefined ? undefined : checkText(message, 'message');
    const { sessions } = serverContext;
    await assertSessionAllowed(serverContext, sessionId);
    if (text !== undefined) sessions.registry.assertCapacity();
    const { settings, origin } = await restoreSettings(sessionId, serverContext);
    const { check, ...caller } = await toTurnCaller(context, serverContext, origin);
    const options = {
      settings,
      ...(check === undefined ? {} : { check }),
      ...(lastTurnId === undefined ? {} : { lastTurnId }),
    };
    const fork = await sessions.fork(sessionId, options);
    await saveChanges(sessionId, fork, {}, serverContext);
    const extraFields = { forkedFrom: sessionId };
    if (text === undefined) return toTurnResult(fork, context, serverContext, { seconds: undefined, extraFields });
    const sayOptions = { ...caller, ...options, onBusy: 'error', onConflict: 'error' } as const;
    const { session } = await sessions.say(fork.id, {}, { text, images: [] }, sayOptions);
    return toTurnResult(session, context, serverContext, { seconds: waitSeconds, extraFields });
  },
};
