import { resolve } from 'node:path';
import { createRedact, type Redact } from '../base/redact.ts';
import { loadConfig } from '../config/load-config.ts';
import type { ConfigProblem, LoadedConfig } from '../config/server-entry.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { type AggregateGateway, openAggregateGateway } from '../gateway/open-aggregate.ts';
import { openSingleGateway } from '../gateway/open-single.ts';
import { readSettings } from '../gateway/settings.ts';
import { type Summarised, summaryLine } from '../gateway/summary.ts';
import { openTrace, type Trace } from '../gateway/trace.ts';
import { secretsOf } from '../gateway/trace-secrets.ts';
import { createGatewayLog } from './gateway-log.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { CommandContext } from './main.ts';

export interface Opened {
  readonly gateway: Gateway;
  readonly trace: Trace | undefined;
}

/** The gateway that the options ask for, with its summary line and its trace. */
export async function openGateway(options: GatewayOptions, context: CommandContext): Promise<Opened> {
  const { env, output } = context;
  const settings = readSettings(env);
  const summarise = (servers: readonly Summarised[], problems: readonly ConfigProblem[] = []) => {
    if (settings.hasSummary) output.complain(summaryLine(servers, problems));
  };
  if (options.command === undefined) {
    const config = await readConfig(options, context);
    const trace = traceInto(options, config, context);
    const gateway = openConfigured(config, options, context, trace);
    gateway.onSettled(settings.listTimeoutMs, () => summarise(gateway.status(), config.problems));
    return { gateway, trace };
  }
  const trace = traceInto(options, undefined, context);
  const redact = createLazyRedact(undefined, env);
  const log = createGatewayLog(output, settings, redact);
  const onSettled = (server: Summarised) => summarise([server]);
  const { command } = options;
  return { gateway: openSingleGateway({ command, env, settings, log, redact, trace, onSettled }), trace };
}

export function readConfig({ config, only }: GatewayOptions, context: CommandContext): Promise<LoadedConfig> {
  const { cwd, home, env } = context;
  return loadConfig({
    cwd,
    home,
    env,
    platform: process.platform,
    ...(config === undefined ? {} : { explicitFile: config }),
    ...(only.length === 0 ? {} : { only }),
  });
}

export function openConfigured(
  config: LoadedConfig,
  { hasPrefix }: GatewayOptions,
  { env, home, output }: CommandContext,
  trace?: Trace,
): AggregateGateway {
  const settings = readSettings(env);
  const redact = createLazyRedact(config, env);
  const log = createGatewayLog(output, settings, redact);
  const { platform } = process;
  return openAggregateGateway({ config, env, home, platform, settings, hasPrefix, log, redact, trace });
}

/** Most runs never have a word to mask: the expressions are made for the first. */
function createLazyRedact(config: LoadedConfig | undefined, env: CommandContext['env']): Redact {
  let redact: Redact | undefined;
  return (text) => {
    redact ??= createRedact(secretsOf({ config, env, platform: process.platform }));
    return redact(text);
  };
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
