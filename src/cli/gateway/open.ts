import { resolve } from 'node:path';
import type { Redactor } from '../../base/redaction/redact.ts';
import type { ConfigFile } from '../../config/files/config-file.ts';
import { cacheFolder, type Surroundings } from '../../config/files/folders.ts';
import { type LoadOptions, loadConfig } from '../../config/load-config.ts';
import { createSecrets, type Secrets } from '../../config/secrets/config-redactor.ts';
import type { ConfigProblem, LoadedConfig } from '../../config/server-entry.ts';
import { openPinStore } from '../../config/trust/pin-store.ts';
import type { KeepList } from '../../gateway/cache/snapshot-writer.ts';
import { type AggregateGateway, openAggregateGateway } from '../../gateway/entry/open-aggregate.ts';
import { openSingleGateway } from '../../gateway/entry/open-single.ts';
import { readSettings } from '../../gateway/entry/settings.ts';
import { openTrace, type Trace } from '../../gateway/entry/trace.ts';
import type { Gateway, GatewayLog } from '../../gateway/gateway.ts';
import { type Summarised, summaryLine } from '../../gateway/status/summary.ts';
import { type CatalogCache, openCatalogCache } from '../../upstream/catalog-cache/catalog-cache.ts';
import type { CommandContext } from '../main.ts';
import { preparedPlace } from './list-snapshot-location.ts';
import { createGatewayLog } from './log.ts';
import { checkCommand, type GatewayOptions } from './options.ts';
import type { Followed } from './reload-config.ts';

export interface Opened {
  readonly gateway: Gateway;
  readonly trace: Trace | undefined;
  /** Takes secrets out of what servers said. */
  readonly redactor: Redactor;
  /** What has to be kept in line with the config; undefined for a server of the command line. */
  readonly followed?: Followed;
}

/** The gateway that the options ask for, with its summary line and its trace. */
export async function openGateway(options: GatewayOptions, context: CommandContext): Promise<Opened> {
  const { env, output } = context;
  const settings = readSettings(env);
  const summarise = (servers: readonly Summarised[], problems: readonly ConfigProblem[] = []) => {
    if (settings.hasSummary) output.complain(summaryLine(servers, problems, checkCommand(options)));
  };
  if (options.command === undefined) {
    const how = { ...loadOptions(options, context), lastGood: new Map<string, ConfigFile>() };
    const config = await loadConfig(how);
    const secrets = createSecrets(env, config);
    const trace = traceInto(options, secrets, context);
    const letHeapGrow = config.servers.length > MANY_SERVERS ? await holdHeapGrowth() : () => {};
    const { gateway, log } = openConfigured(config, options, context, { secrets, trace });
    // The client, which may wait for the same moment, is answered first.
    gateway.onSettled(settings.listTimeoutMs, () => {
      setTimeout(() => {
        letHeapGrow();
        summarise(gateway.status(), config.problems);
        if (settings.hasSummary) gateway.tellChanges();
      }, SUMMARY_AFTER_MS);
    });
    const load = async (again: LoadOptions) => {
      const next = await loadConfig(again);
      secrets.learn(next);
      return next;
    };
    const followed = { gateway, config, loadOptions: how, load, warn: log.warn };
    return { gateway, trace, followed, redactor: secrets };
  }
  const secrets = createSecrets(env);
  const trace = traceInto(options, secrets, context);
  const log = createGatewayLog(output, settings, secrets.redact);
  const onSettled = (server: Summarised) => summarise([server]);
  const { command, profile } = options;
  const gateway = openSingleGateway({ command, env, settings, log, profile, redactor: secrets, trace, onSettled });
  return { gateway, trace, redactor: secrets };
}

export function readConfig(options: GatewayOptions, context: CommandContext): Promise<LoadedConfig> {
  return loadConfig(loadOptions(options, context));
}

export function loadOptions({ config, only }: GatewayOptions, { cwd, home, env }: CommandContext): LoadOptions {
  return {
    cwd,
    home,
    env,
    platform: process.platform,
    explicitFile: config,
    ...(only.length === 0 ? {} : { only }),
  };
}

export function openConfigured(
  config: LoadedConfig,
  options: GatewayOptions,
  context: CommandContext,
  { secrets = createSecrets(context.env, config), trace }: { secrets?: Secrets; trace?: Trace | undefined } = {},
): { readonly gateway: AggregateGateway; readonly log: GatewayLog } {
  const { hasPrefix, profile, isLazy, isCheck } = options;
  const { env, home, cwd, output } = context;
  const settings = readSettings(env);
  const log = createGatewayLog(output, settings, secrets.redact);
  const surroundings = { cwd, home, env, platform: process.platform };
  const gateway = openAggregateGateway({
    ...surroundings,
    config,
    settings,
    hasPrefix,
    profile,
    isLazy,
    log,
    redactor: secrets,
    trace,
    // A check shows what the servers say now, and keeps it.
    cache: isCheck ? writeOnly(openCache(surroundings, log.warn)) : openCache(surroundings, log.warn),
    pins: () => openPinStore(surroundings),
    keepList: isCheck ? undefined : keepListFor(options, surroundings),
  });
  secrets.learnTokens(gateway.tokens);
  return { gateway, log };
}

function keepListFor(options: GatewayOptions, surroundings: Surroundings): KeepList {
  return async (list, hello) => {
    const { keepList } = await import('./save-list-snapshot.ts');
    keepList(preparedPlace(options, surroundings, hello), list);
  };
}

/** Loaded only here, because `node:v8` itself costs memory. */
async function holdHeapGrowth(): Promise<() => void> {
  return (await import('./limit-heap-growth.ts')).holdHeapGrowth();
}

function writeOnly(cache: CatalogCache): CatalogCache {
  return { ...cache, isEmpty: () => true, failures: { ...cache.failures, read: () => undefined } };
}

function openCache(surroundings: Surroundings, onProblem: (text: string) => void): CatalogCache {
  const cache = openCatalogCache({ folder: cacheFolder(surroundings), now: Date.now, onProblem });
  setTimeout(() => void cache.prune(), PRUNE_AFTER_MS).unref();
  return cache;
}

const SUMMARY_AFTER_MS = 10;
/** Fewer launches do not make the heap grow, and more frequent collections cost them CPU time. */
const MANY_SERVERS = 50;
/** When the start is long over. */
const PRUNE_AFTER_MS = 10_000;

function traceInto(
  { trace: file }: GatewayOptions,
  { redact }: Secrets,
  { cwd, output }: CommandContext,
): Trace | undefined {
  if (file === undefined) return undefined;
  return openTrace({ file: resolve(cwd, file), redact, complain: output.complain });
}
