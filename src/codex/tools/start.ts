import { checkStart, type StartArguments } from '../settings.ts';
import { answerAfter, toDriver } from './drive.ts';
import { APPROVAL_POLICY, field, OPEN_ENDED, SANDBOX, sessionSchema, WAIT_SECONDS } from './schemas.ts';
import type { CodexTool } from './tool.ts';

export const startTool: CodexTool = {
  name: 'codex_start',
  definition: {
    title: 'Start a Codex session',
    description:
      'Start a new Codex CLI session with an initial prompt. Returns at once with the session id; follow it with codex_wait or codex_status.',
    input: {
      type: 'object',
      properties: {
        prompt: field.text('The initial task for Codex'),
        workingDirectory: field.text(
          'Working directory of the session (must be in a git repository unless skipGitRepoCheck is true). Default: that of this server',
        ),
        model: field.text('Model override'),
        effort: field.text('Reasoning effort, such as low, medium or high'),
        approvalPolicy: APPROVAL_POLICY,
        sandbox: SANDBOX,
        fullAuto: field.flag('Shortcut for approvalPolicy on-request and sandbox workspace-write. Default: false'),
        profile: field.text('A configuration profile of Codex ($CODEX_HOME/<name>.config.toml)'),
        config: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Overrides of the configuration of Codex: dotted keys, values as TOML literals or plain text',
        },
        baseInstructions: field.text('Replaces the base instructions'),
        developerInstructions: field.text('Further instructions from the developer'),
        images: field.texts('Paths of image files to attach to the prompt'),
        addDirs: field.texts('Further folders that commands may write to (sandbox workspace-write)'),
        outputSchema: { type: 'object', description: 'JSON Schema that the final message of the first turn must fit' },
        name: field.text('A name for the session'),
        skipGitRepoCheck: field.flag('Allow a working directory outside of a git repository. Default: false'),
        dangerouslyBypassApprovalsAndSandbox: field.flag(
          'No approvals and no sandbox. Needs the permission of the operator of this server. Default: false',
        ),
        waitSeconds: WAIT_SECONDS,
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    output: sessionSchema(),
    annotations: OPEN_ENDED,
  },
  async run(args, context, workplace) {
    // The input schema has been checked.
    const given = args as unknown as StartArguments & { outputSchema?: unknown; waitSeconds?: number };
    const { settings, input, warnings } = await checkStart(given, workplace);
    const turn = given.outputSchema === undefined ? {} : { outputSchema: given.outputSchema };
    const driver = toDriver(context, workplace, {
      isCallersConfig: given.config !== undefined,
      folders: () => [settings.cwd ?? workplace.cwd, ...(settings.addDirs ?? [])],
    });
    const session = await workplace.sessions.start(settings, turn, input, driver);
    for (const warning of warnings) session.warn(warning);
    const { ask: cannotAsk } = workplace.sessions.engine.cannot;
    if (cannotAsk !== undefined && settings.approvalPolicy !== 'never') session.warn(cannotAsk);
    if (settings.sandbox === undefined && session.opened.sandbox === 'read-only') session.warn(READ_ONLY_HINT);
    return answerAfter(session, context, workplace, { seconds: given.waitSeconds });
  },
};

/** Nobody should have to find out why nothing was changed. */
const READ_ONLY_HINT =
  'Commands of this session cannot write: read-only is what Codex chooses for a folder that it does not trust. Say sandbox: "workspace-write" to let it change files.';
