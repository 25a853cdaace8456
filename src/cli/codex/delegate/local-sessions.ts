import { createLog } from '../../../base/log.ts';
import { openProcesses } from '../../../base/process/processes.ts';
import { readEnvSettings } from '../../../codex/env-settings.ts';
import type { ServerContext } from '../../../codex/server-context.ts';
import { createConfigRedactor } from '../../../config/secrets/config-redactor.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { exitSoon } from '../../exit-soon.ts';
import { openCodexSessions } from '../open.ts';
import type { CodexOptions } from '../options.ts';
import { toShellError } from './shell-words.ts';

interface LocalOptions {
  /** The user who types is the operator, and may choose a session without a sandbox. */
  readonly allowsDanger?: boolean;
  readonly isVerbose: boolean;
}

/** Opens the sessions of a command, runs it, and stops everything that was started for it. */
export async function withLocalSessions<Result>(
  { allowsDanger = false, isVerbose }: LocalOptions,
  context: CommandContext,
  run: (serverContext: ServerContext) => Promise<Result>,
): Promise<Result> {
  const envSettings = readEnvSettings(context.env);
  const { redact } = createConfigRedactor(environmentOf(context));
  const isLevelSet = (context.env['LOG_LEVEL'] ?? context.env['DEBUG'] ?? '') !== '';
  const level = isLevelSet || isVerbose ? envSettings.logLevel : 'warn';
  const log = createLog({ level, write: context.output.report, redact });
  for (const problem of envSettings.problems) log.warn(problem);
  const processes = openProcesses({ env: context.env });
  const machine = `${process.platform}; ${process.arch}`;
  const options = { ...OPTIONS, allowsDanger };
  const { sessions, serverContext } = openCodexSessions(options, { envSettings, context, log, processes, machine });
  try {
    return await run(serverContext);
  } catch (error) {
    throw toShellError(error);
  } finally {
    await sessions.close();
    await processes.close();
    // A terminal as stdin may keep the process alive after a prompt.
    exitSoon();
  }
}

/** No limits beyond those of Codex itself: the user could also start Codex directly. */
const OPTIONS: CodexOptions = {
  ...{ tools: 'full', engine: 'auto', maxSandbox: undefined, allowsDanger: false, roots: [] },
  ...{ approvals: undefined, maxWaitSeconds: undefined, hasEvents: false, http: undefined },
};
