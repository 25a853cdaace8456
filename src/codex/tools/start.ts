import { saveSettings } from '../settings/restored-settings.ts';
import { checkStart, type StartArguments, settingsOrigin } from '../settings/start-settings.ts';
import { APPROVAL_POLICY, field, OPEN_ENDED, outcomeSchema, SANDBOX, WAIT_SECONDS } from './schemas.ts';
import type { CodexTool } from './tool.ts';
import { toTurnCaller, toTurnResult } from './turn-call.ts';

export const startTool: CodexTool = {
  name: 'codex_start',
  definition: {
    title: 'Start a Codex session',
    description: 'Start a Codex session with a prompt. Returns the session id at once; codex_wait returns the result.',
    input: {
      type: 'object',
      properties: {
        prompt: field.text('The task'),
        workingDirectory: field.text(
          "Must be in a git repository unless skipGitRepoCheck is true. Default: this server's folder",
        ),
        model: { type: 'string' },
        effort: field.text('Reasoning effort: low, medium, high'),
        approvalPolicy: APPROVAL_POLICY,
        sandbox: SANDBOX,
        fullAuto: field.flag('Short for approvalPolicy on-request with sandbox workspace-write'),
        profile: field.text('The name in $CODEX_HOME/<name>.config.toml'),
        config: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Codex configuration overrides: dotted keys, TOML or plain text values',
        },
        baseInstructions: { type: 'string' },
        developerInstructions: { type: 'string' },
        images: field.texts('Paths of image files'),
        addDirs: field.texts('More folders that commands may write to'),
        outputSchema: { type: 'object', description: 'JSON Schema of the final message' },
        name: { type: 'string' },
        skipGitRepoCheck: { type: 'boolean' },
        dangerouslyBypassApprovalsAndSandbox: field.flag("Requires the operator's --allow-dangerous"),
        waitSeconds: WAIT_SECONDS,
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    output: outcomeSchema(),
    annotations: OPEN_ENDED,
  },
  async run(args, context, serverContext) {
    // The server has validated the arguments against the input schema.
    const given = args as unknown as StartArguments & { outputSchema?: unknown; waitSeconds?: number };
    const { settings, input, warnings } = await checkStart(given, serverContext);
    const turn = given.outputSchema === undefined ? {} : { outputSchema: given.outputSchema };
    const caller = await toTurnCaller(context, serverContext, settingsOrigin(given));
    const session = await serverContext.sessions.start(settings, turn, input, caller);
    for (const warning of [...warnings, ...(await saveSettings(session, given, settings, serverContext))])
      session.warn(warning);
    const { approvals: approvalsUnsupported } = serverContext.sessions.engine.unsupported;
    if (approvalsUnsupported !== undefined && settings.approvalPolicy !== 'never') session.warn(approvalsUnsupported);
    if (settings.sandbox === undefined && session.opened.sandbox === 'read-only') session.warn(READ_ONLY_HINT);
    return toTurnResult(session, context, serverContext, { seconds: given.waitSeconds });
  },
};

/** Explains to the caller why a session does not change any files. */
const READ_ONLY_HINT =
  'Commands of this session cannot write: Codex uses read-only for a folder that it does not trust. Set sandbox: "workspace-write" to let it change files.';
