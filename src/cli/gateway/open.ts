import { resolve } from 'node:path';
import type { Redactor } from '../../base/redaction/redact.ts';
import { openClientViews } from '../../clients/server-view.ts';
import type { ConfigFile } from '../../config/files/config-file.ts';
import { cacheFolder, type Environment } from '../../config/files/folders.ts';
import { type LoadOptions, loadConfig } from '../../config/load-config.ts';
import { type ConfigRedactor, createConfigRedactor } from '../../config/secrets/config-redactor.ts';
import type { ConfigProblem, LoadedConfig } from '../../config/server-entry.ts';
import { openPinStore } from '../../config/trust/pin-store.ts';
import { selectLimits } from '../../config/views/select-view.ts';
import type { SaveSnapshot } from '../../gateway/cache/snapshot-writer.ts';
import type { Gateway, GatewayLog } from '../../gateway/gateway.ts';
import { type AggregateGateway, openAggregateGateway } from '../../gateway/open/open-aggregate.ts';
import { openSingleGateway } from '../../gateway/open/open-single.ts';
import type { ServerSharing } from '../../gateway/servers/server-sharing.ts';
import { readSettings } from '../../gateway/settings.ts';
import { type SummarizedServer, summaryLine } from '../../gateway/status/summary.ts';
import { openTrace, type Trace } from '../../gateway/trace/trace.ts';
import type { GatewayView } from '../../gateway/views/gateway-view.ts';
import { type CatalogCache, openCatalogCache } from '../../upstream/catalog-cache/catalog-cache.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { listSnapshotLocation } from './list-snapshot-location.ts';
import { createGatewayLog } from './log.ts';
import { checkCommand, type GatewayOptions } from './options.ts';
import type { ConfigReload } from './reload-config.ts';

export interface OpenedGateway {
  readonly gateway: Gateway;
  readonly trace: Trace | undefined;
  /** Masks secrets in server output. */
  readonly redactor: Redactor;
  /** Input for reloading the config; undefined for a server from the command line. */
  readonly reload?: ConfigReload;
  /** What the client on stdio sees; undefined for a server from the command line. */
  readonly view?: GatewayView;
}

interface OpenGatewayOptions {
  /** Limits the growth of the heap for as long as the process runs, not only while many servers start. */
  readonly limitsHeapGrowth?: boolean;
  /** Leaves servers out if other people can use the gateway. */
  readonly sharing?: ServerSharing | undefined;
}

/** Opens the gateway for these options, with its summary line and its trace. */
export async function openGateway(
  options: GatewayOptions,
  context: CommandContext,
  { limitsHeapGrowth = false, sharing }: OpenGatewayOptions = {},
): Promise<OpenedGateway> {
  const { env, output } = context;
  const settings = readSettings(env);
  const summarize = (servers: readonly SummarizedServer[], problems: readonly ConfigProblem[] = []) => {
    if (settings.hasSummary) output.report(summaryLine(servers, problems, checkCommand(options)));
  };
  if (options.command === undefined) {
    const configOptions = { ...loadOptions(options, context), lastGood: new Map<string, ConfigFile>() };
    const config = await loadConfig(configOptions);
    requireView(config, options);
    const secrets = createConfigRedactor(environmentOf(context), config);
    const trace = openTraceFor(options, secrets, context);
    const isLarge = config.servers.length > LARGE_CONFIG_SERVERS;
    const releaseHeapLimit = isLarge || limitsHeapGrowth ? await limitHeapGrowth() : () => {};
    const { gateway, log } = openConfiguredGateway(config, options, context, { secrets, trace, sharing });
    const view = gateway.openView(options);
    // The client may wait for the same event and gets its response first.
    gateway.onSettled(settings.listTimeoutMs, () => {
      setTimeout(() => {
        if (!limitsHeapGrowth) releaseHeapLimit();
        summarize(gateway.status(view), gateway.problems(view));
        if (settings.hasSummary) gateway.reportChanges();
      }, SUMMARY_AFTER_MS);
    });
    const reload = { gateway, loadOptions: configOptions, secrets, warn: log.warn };
    return { gateway, trace, reload, redactor: secrets, view };
  }
  const secrets = createConfigRedactor(environmentOf(context));
  const trace = openTraceFor(options, secrets, context);
  const log = createGatewayLog(output, settings, secrets.redact);
  const onSettled = (server: SummarizedServer) => summarize([server]);
  const { command, profile } = options;
  const gateway = openSingleGateway({
    command,
    cwd: context.cwd,
    env,
    settings,
    log,
    profile,
    redactor: secrets,
    trace,
    onSettled,
  });
  return { gateway, trace, redactor: secrets };
}

export async function readConfig(options: GatewayOptions, context: CommandContext): Promise<LoadedConfig> {
  const config = await loadConfig(loadOptions(options, context));
  requireView(config, options);
  return config;
}

/** Fails before anything is opened if the view is unknown or cannot be used. */
function requireView(config: LoadedConfig, options: GatewayOptions): void {
  selectLimits(config, options);
}

export function loadOptions({ config, only, client }: GatewayOptions, context: CommandContext): LoadOptions {
  const environment = environmentOf(context);
  return {
    ...environment,
    explicitFiles: config,
    ...(client === undefined ? {} : { clientViews: openClientViews(environment) }),
    ...(only.length === 0 ? {} : { only }),
  };
}

export function openConfiguredGateway(
  config: LoadedConfig,
  options: GatewayOptions,
  context: CommandContext,
  {
    secrets = createConfigRedactor(environmentOf(context), config),
    trace,
    sharing,
  }: { secrets?: ConfigRedactor; trace?: Trace | undefined; sharing?: ServerSharing | undefined } = {},
): { readonly gateway: AggregateGateway; readonly log: GatewayLog } {
  const { hasPrefix, profile, isLazy } = options;
  const isCheck = options.mode.kind === 'check';
  const { env, output } = context;
  const settings = readSettings(env);
  const log = createGatewayLog(output, settings, secrets.redact);
  const environment = environmentOf(context);
  const gateway = openAggregateGateway({
    environment,
    config,
    settings,
    hasPrefix,
    profile,
    isLazy,
    log,
    redactor: secrets,
    trace,
    sharing,
    // A check ignores the cached lists, but writes the new ones.
    cache: isCheck ? writeOnly(openCache(environment, log.warn)) : openCache(environment, log.warn),
    pins: () => openPinStore(environment),
    // Only a client on stdio gets the saved list, and it sees more than an HTTP client may.
    saveSnapshot: options.mode.kind === 'serve' ? saveSnapshotFor(options, environment) : undefined,
  });
  secrets.setTokenSource(gateway.tokens);
  return { gateway, log };
}

function saveSnapshotFor(options: GatewayOptions, environment: Environment): SaveSnapshot {
  return async (list, initializeParams) => {
    const { saveListSnapshot } = await import('../../gateway/cache/save-list-snapshot.ts');
    saveListSnapshot(listSnapshotLocation(options, environment, initializeParams), list);
  };
}

/** Loaded only here, because `node:v8` itself costs memory. */
async function limitHeapGrowth(): Promise<() => void> {
  return (await import('./limit-heap-growth.ts')).limitHeapGrowth();
}

function writeOnly(cache: CatalogCache): CatalogCache {
  return { ...cache, isEmpty: () => true, failures: { ...cache.failures, read: () => undefined } };
}

function openCache(environment: Environment, onProblem: (text: string) => void): CatalogCache {
  const cache = openCatalogCache({ folder: cacheFolder(environment), now: Date.now, onProblem });
  setTimeout(() => void cache.prune(), PRUNE_AFTER_MS).unref();
  return cache;
}

const SUMMARY_AFTER_MS = 10;
/** Fewer launches do not grow the heap, and more frequent collections would cost CPU time. */
const LARGE_CONFIG_SERVERS = 50;
/** Long after startup. */
const PRUNE_AFTER_MS = 10_000;

function openTraceFor(
  { trace: file }: GatewayOptions,
  { redact }: ConfigRedactor,
  { cwd, output }: CommandContext,
): Trace | undefined {
  if (file === undefined) return undefined;
  return openTrace({ file: resolve(cwd, file), redact, reportError: output.report });
}
