import { AppError } from '../../base/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import { openAggregateGateway } from '../../gateway/open-aggregate.ts';
import { openSingleGateway } from '../../gateway/open-single.ts';
import { type ServedClient, serveStdio } from '../../gateway/serve-stdio.ts';
import { readSettings } from '../../gateway/settings.ts';
import { summaryLine } from '../../gateway/summary.ts';
import { createGatewayLog } from '../gateway-log.ts';
import { readGatewayOptions } from '../gateway-options.ts';
import type { CommandContext } from '../main.ts';

/** `switchboard gateway`: every server of the config behind one endpoint on stdio. */
export async function gateway(args: readonly string[], context: CommandContext): Promise<void> {
  const options = readGatewayOptions(args);
  if (options.command !== undefined) return single(options.command, context);
  const { env, cwd, home, output } = context;
  const settings = readSettings(env);
  const config = await loadConfig({
    cwd,
    home,
    env,
    platform: process.platform,
    ...(options.config === undefined ? {} : { explicitFile: options.config }),
    ...(options.only.length === 0 ? {} : { only: options.only }),
  });
  const opened = openAggregateGateway({
    config,
    env,
    home,
    platform: process.platform,
    settings,
    hasPrefix: options.hasPrefix,
    log: createGatewayLog(output, settings),
  });
  if (options.isCheck) {
    const { check } = await import('../gateway-check.ts');
    const isFine = await check(opened, config, output, { timeoutMs: CHECK_TIMEOUT_MS, isJson: options.isJson });
    process.exitCode = isFine ? 0 : UNREACHABLE;
    return;
  }
  if (settings.hasSummary) {
    opened.onSettled(settings.listTimeoutMs, () => output.complain(summaryLine(opened.status())));
  }
  await untilEnd(serveStdio(opened));
}

/** `switchboard -- <command>`: one server, as it is. */
export async function single(command: readonly string[], { env, output }: CommandContext): Promise<void> {
  const settings = readSettings(env);
  const opened = openSingleGateway({ command, env, settings, log: createGatewayLog(output, settings) });
  await untilEnd(serveStdio(opened));
}

const CHECK_TIMEOUT_MS = 60_000;
/** The exit status for a server that cannot be reached or started. */
const UNREACHABLE = 4;

async function untilEnd(served: ServedClient): Promise<void> {
  for (const [signal, number] of STOP_SIGNALS) {
    process.once(signal, () => {
      process.exitCode = 128 + number;
      served.stop();
    });
  }
  await served.ended;
  const failure = served.failure();
  if (failure !== undefined) throw new AppError(failure.code, failure.message, { cause: failure });
  // Nothing that is still open may keep us: what had to be said and stopped has been.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** With their numbers, which the exit status tells. */
const STOP_SIGNALS = [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const;

const LINGER_MS = 100;
