import { loadConfig } from '../config/load-config.ts';
import type { LoadedConfig } from '../config/server-entry.ts';
import type { Door } from '../gateway/door.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { type AggregateGateway, openAggregateGateway } from '../gateway/open-aggregate.ts';
import { openSingleGateway } from '../gateway/open-single.ts';
import { serveStdio } from '../gateway/serve-stdio.ts';
import { readSettings } from '../gateway/settings.ts';
import { type Summarised, summaryLine } from '../gateway/summary.ts';
import type { StdioFront } from '../serve/fronts/stdio-front.ts';
import { check } from './gateway-check.ts';
import { createGatewayLog } from './gateway-log.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { CommandContext } from './main.ts';

/** What was opened before the gateway was loaded. */
export interface Entrance {
  readonly front: StdioFront;
  readonly door: Door;
  /** Told what to do when the client does not read. */
  readonly flow: { pause: () => void; resume: () => void };
}

/** Serves the client at the door until it leaves or we are told to end. */
export async function runGateway(options: GatewayOptions, context: CommandContext, entrance: Entrance): Promise<void> {
  const { front, door, flow } = entrance;
  const gateway = options.command === undefined ? await openMany(options, context) : openOne(options.command, context);
  flow.pause = gateway.pause;
  flow.resume = gateway.resume;
  const served = serveStdio(gateway, front, door);
  for (const [signal, number] of STOP_SIGNALS) {
    process.once(signal, () => {
      process.exitCode = 128 + number;
      served.stop();
    });
  }
  await served.ended;
  const failure = front.failure();
  if (failure !== undefined) throw failure;
  // Nothing that is still open may keep us: what had to be said and stopped has been.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** Starts every server once and shows how each of them is. */
export async function checkGateway(options: GatewayOptions, context: CommandContext): Promise<void> {
  const config = await load(options, context);
  const gateway = openConfigured(config, options, context);
  const isFine = await check(gateway, config, context.output, { timeoutMs: CHECK_TIMEOUT_MS, isJson: options.isJson });
  process.exitCode = isFine ? 0 : UNREACHABLE;
}

async function openMany(options: GatewayOptions, context: CommandContext): Promise<Gateway> {
  const { hasSummary, listTimeoutMs } = readSettings(context.env);
  const gateway = openConfigured(await load(options, context), options, context);
  if (hasSummary) gateway.onSettled(listTimeoutMs, () => context.output.complain(summaryLine(gateway.status())));
  return gateway;
}

function openOne(command: readonly string[], { env, output }: CommandContext): Gateway {
  const settings = readSettings(env);
  const onSettled = settings.hasSummary ? (server: Summarised) => output.complain(summaryLine([server])) : undefined;
  return openSingleGateway({ command, env, settings, log: createGatewayLog(output, settings), onSettled });
}

function openConfigured(
  config: LoadedConfig,
  { hasPrefix }: GatewayOptions,
  context: CommandContext,
): AggregateGateway {
  const { env, home, output } = context;
  const settings = readSettings(env);
  const log = createGatewayLog(output, settings);
  return openAggregateGateway({ config, env, home, platform: process.platform, settings, hasPrefix, log });
}

function load({ config, only }: GatewayOptions, { cwd, home, env }: CommandContext): Promise<LoadedConfig> {
  return loadConfig({
    cwd,
    home,
    env,
    platform: process.platform,
    ...(config === undefined ? {} : { explicitFile: config }),
    ...(only.length === 0 ? {} : { only }),
  });
}

const CHECK_TIMEOUT_MS = 60_000;
/** The exit status for a server that cannot be reached or started. */
const UNREACHABLE = 4;

/** With their numbers, which the exit status tells. */
const STOP_SIGNALS = [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const;

const LINGER_MS = 100;
