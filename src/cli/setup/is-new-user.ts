import { existsSync } from 'node:fs';
import { globalSource } from '../../config/files/sources.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { loadEveryServer } from '../load-every-server.ts';
import { canPrompt } from '../terminal/confirm.ts';

/** Returns whether bare `switchboard` starts setup: on a terminal, without a config and without a usable server. */
export async function isNewUser(context: CommandContext): Promise<boolean> {
  if (!canPrompt() || context.output.screen === undefined || existsSync(globalSource(environmentOf(context)).file))
    return false;
  const { servers, problems } = await loadEveryServer(context);
  // An untrusted server of a project is one that setup asks about.
  return problems.length === 0 && servers.every(({ verdict }) => verdict.kind === 'disabled' && verdict.isUntrusted);
}
