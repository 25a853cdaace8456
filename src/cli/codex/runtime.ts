import { createLog } from '../../base/log.ts';
import { openProcesses } from '../../base/process/processes.ts';
import { readEnvSettings } from '../../codex/env-settings.ts';
import { createConfigRedactor } from '../../config/secrets/config-redactor.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import type { CodexDependencies } from './open.ts';

/** Opens what a codex server needs of its process. The caller closes `processes`. */
export function openCodexRuntime(
  context: CommandContext,
): Pick<CodexDependencies, 'envSettings' | 'log' | 'processes'> {
  const envSettings = readEnvSettings(context.env);
  const { redact } = createConfigRedactor(environmentOf(context));
  const log = createLog({ level: envSettings.logLevel, write: context.output.report, redact });
  for (const problem of envSettings.problems) log.warn(problem);
  return { envSettings, log, processes: openProcesses({ env: context.env }) };
}
