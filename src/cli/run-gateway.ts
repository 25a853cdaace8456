import { resolve } from 'node:path';
import { loadConfig } from '../config/load-config.ts';
import type { LoadedConfig } from '../config/server-entry.ts';
import type { Door } from '../gateway/door.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { type AggregateGateway, openAggregateGateway } from '../gateway/open-aggregate.ts';
import { openSingleGateway } from '../gateway/open-single.ts';
import { serveStdio } from '../gateway/serve-stdio.ts';
import { readSettings } from '../gateway/settings.ts';
import { type Summarised, summaryLine } from '../gateway/summary.ts';
import { openTrace, type Trace } from '../gateway/trace.ts';
import { secretsOf } from '../gateway/trace-secrets.ts';
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
  try {
    await serveUntilEnd(options, context, entrance);
  } finally {
    // Nothing that is still open may keep us, a client that does not leave least of all: all has been said and stopped.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}

async function serveUntilEnd(options: GatewayOptions, context: CommandContext, entrance: Entrance): Promise<void> {
  const { front, door, flow } = entrance;
  const { gateway, trace } = await openGateway(options, context);
  flow.pause = gateway.pause;
  flow.resume = gateway.resume;
  const served = serveStdio(gateway, { front, door, trace });
  for (const [signal, number] of STOP_SIGNALS) {
    process.once(signal, () => {
      process.exitCode = 128 + number;
      served.stop();
    });
  }
  await served.ended;
  await trace?.close();
  const failure = front.failure();
  if (failure !== undefined) throw failure;
}

/** Starts every server once and shows how each of them is. */
export async function checkGateway(options: GatewayOptions, context: CommandContext): Promise<void> {
  const config = await load(options, context);
  const gateway = openConfigured(config, options, context);
  const isFine = await check(gateway, config, context.output, { timeoutMs: CHECK_TIMEOUT_MS, isJson: options.isJson });
  process.exitCode = isFine ? 0 : UNREACHABLE;
}

interface Opened {
  readonly gateway: Gateway;
  readonly trace: Trace | undefined;
}

async function openGateway(options: GatewayOptions, context: CommandContext): Promise<Opened> {
  const { env, output } = context;
  const settings = readSettings(env);
  const summarise = (servers: readonly Summarised[]) => {
    if (settings.hasSummary) output.complain(summaryLine(servers));
  };
  const { command } = options;
  if (command !== undefined) {
    const trace = traceInto(options, undefined, context);
    const onSettled = (server: Summarised) => summarise([server]);
    const log = createGatewayLog(output, settings);
    return { gateway: openSingleGateway({ command, env, settings, log, trace, onSettled }), trace };
  }
  const config = await load(options, context);
  const trace = traceInto(options, config, context);
  const gateway = openConfigured(config, options, context, trace);
  gateway.onSettled(settings.listTimeoutMs, () => summarise(gateway.status()));
  return { gateway, trace };
}

function traceInto(
  { trace: file }: GatewayOptions,
  config: LoadedConfig | undefined,
  { env, cwd, output }: CommandContext,
): Trace | undefined {
  if (file === undefined) return undefined;
  const secrets = secretsOf({ config, env, platform: process.platform });
  return openTrace({ file: resolve(cwd, file), secrets, complain: output.complain });
}

function openConfigured(
  config: LoadedConfig,
  { hasPrefix }: GatewayOptions,
  { env, home, output }: CommandContext,
  trace?: Trace,
): AggregateGateway {
  const settings = readSettings(env);
  const log = createGatewayLog(output, settings);
  return openAggregateGateway({ config, env, home, platform: process.platform, settings, hasPrefix, log, trace });
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
