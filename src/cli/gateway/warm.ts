import type { CommandContext } from '../command-context.ts';
import { parseGatewayOptions } from './options.ts';

const RULES = { command: 'switchboard warm', withValue: ['--config', '--only'], flags: ['--json'] };

/** Runs `switchboard warm`: starts every server once and caches its lists, so that no client has to wait for them. */
export async function warm(args: readonly string[], context: CommandContext): Promise<void> {
  const options = parseGatewayOptions(args, RULES);
  await (await import('./run.ts')).warmGateway(options, context);
}
