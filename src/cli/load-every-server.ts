import { type LoadOptions, loadConfig } from '../config/load-config.ts';
import type { LoadedConfig } from '../config/server-entry.ts';
import { type CommandContext, environmentOf } from './command-context.ts';

/** Loads all servers, even if a variable selects one. */
export function loadEveryServer(
  context: Pick<CommandContext, 'cwd' | 'home' | 'env'>,
  options: Pick<LoadOptions, 'explicitFiles'> = {},
): Promise<LoadedConfig> {
  const env = { ...context.env, MCP_WRAPPER_SERVER_NAME: undefined };
  return loadConfig({ ...environmentOf(context), env, ...options });
}
