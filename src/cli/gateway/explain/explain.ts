import { oneLine } from '../../../base/text/safe-text.ts';
import { type ExplainedEntry, explainEntry } from '../../../config/entry/explain-entry.ts';
import { cacheFolder } from '../../../config/files/folders.ts';
import { loadConfig, loadDefinitions } from '../../../config/load-config.ts';
import { createConfigRedactor } from '../../../config/secrets/config-redactor.ts';
import type { ConfigProblem, LoadedConfig } from '../../../config/server-entry.ts';
import { openPinStore, type PinStore } from '../../../config/trust/pin-store.ts';
import { type AggregateGateway, openAggregateGateway } from '../../../gateway/open/open-aggregate.ts';
import { readSettings } from '../../../gateway/settings.ts';
import { type ExplainedTools, explainTools, maskTools } from '../../../gateway/status/explain-tools.ts';
import { isAsConfigured, type ServerStatus } from '../../../gateway/status/server-status.ts';
import type { ProfileName } from '../../../schema/profiles/profile.ts';
import { PROFILES } from '../../../schema/profiles/registry.ts';
import { openCatalogCache } from '../../../upstream/catalog-cache/catalog-cache.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { CODEX_CAPABILITIES } from '../../mcp/servers/server-cache.ts';
import { createGatewayLog } from '../log.ts';
import { loadOptions } from '../open.ts';
import type { GatewayMode, GatewayOptions } from '../options.ts';
import { toDocument } from './document.ts';
import { findSubject, pickTool, type Subject, unknownTool } from './subject.ts';
import { toText } from './text.ts';

/** All information about one server, or one of its tools. */
export interface Explanation {
  readonly subject: Subject;
  readonly status: ServerStatus;
  readonly entry: ExplainedEntry | undefined;
  /** Problems of the files that define the server. */
  readonly problems: readonly ConfigProblem[];
  readonly profile: ProfileName;
  /** Whether the profile is the default and not from `--profile`. */
  readonly isDefaultProfile: boolean;
  /** The requested tool, otherwise all; undefined for a server that is not used. */
  readonly tools: ExplainedTools | undefined;
}

/**
 * Runs `switchboard gateway --explain <server>[.<tool>]`: shows where the settings come from, the state, and how the
 * tools change on their way to a client. Read-only: saves no catalog and pins nothing.
 */
export async function explainGateway(
  options: GatewayOptions,
  { subject: wanted, isJson }: Extract<GatewayMode, { readonly kind: 'explain' }>,
  context: CommandContext,
): Promise<void> {
  // The variable restricts the gateway to one server, but `--explain` covers the others too.
  const loading = loadOptions(options, { ...context, env: { ...context.env, MCP_WRAPPER_SERVER_NAME: undefined } });
  const config = await loadConfig(loading);
  const profile = options.profile ?? 'codex';
  const gateway = openReadOnlyGateway(config, { ...options, profile }, context);
  try {
    const view = gateway.openView(options);
    const subject = findSubject(wanted, gateway.statusSources(view).config);
    await startAlone(gateway, { subject, profile, notify: context.output.notice });
    const status = gateway.status(view).find(({ id }) => id === subject.server.id);
    if (status === undefined) return;
    const entry = explainEntry(await loadDefinitions(loading), subject.server.id);
    const sources = gateway.statusSources(view);
    const tools = explainTools(sources, {
      serverId: subject.server.id,
      hasPrefix: options.hasPrefix,
      profile: PROFILES[profile],
    });
    const explanation: Explanation = {
      ...{ subject, status, entry, profile },
      isDefaultProfile: options.profile === undefined,
      problems: problemsOf(config, entry),
      tools: tools && maskTools(pick(tools, subject, status), sources.redactor.redactTokens),
    };
    context.output.answer(isJson ? toDocument(explanation) : toText(explanation));
    process.exitCode = isAsConfigured(status) ? 0 : UNREACHABLE;
  } finally {
    await gateway.close();
  }
}

/** Exit status for a server that cannot be reached or started. */
const UNREACHABLE = 4;

function openReadOnlyGateway(
  config: LoadedConfig,
  { hasPrefix, profile }: GatewayOptions,
  context: CommandContext,
): AggregateGateway {
  const { env, output } = context;
  const settings = readSettings(env);
  const environment = environmentOf(context);
  const secrets = createConfigRedactor(environment, config);
  const log = createGatewayLog(output, settings, secrets.redact);
  const cache = openCatalogCache({ folder: cacheFolder(environment), now: Date.now, onProblem: log.debug });
  const gateway = openAggregateGateway({
    environment,
    ...{ config, settings, hasPrefix, profile, redactor: secrets },
    // The output already contains all warnings.
    log: { ...log, warn: log.debug },
    cache: {
      ...cache,
      failures: { ...cache.failures, write: () => {}, remove: () => {} },
      write: async () => undefined,
      writeSync: () => undefined,
    },
    pins: () => readOnlyPins(openPinStore(environment)),
  });
  secrets.setTokenSource(gateway.tokens);
  return gateway;
}

function readOnlyPins({ read, readFirst }: PinStore): PinStore {
  return { read, readFirst, write: () => {}, rename: () => {}, update: (file, id, change) => change(read(file, id)) };
}

interface StartOptions {
  readonly subject: Subject;
  readonly profile: ProfileName;
  readonly notify: ((text: string) => void) | undefined;
}

/** Resolves when the server has listed its tools or has failed. Does not start a server that is not used. */
async function startAlone(gateway: AggregateGateway, { subject, profile, notify }: StartOptions): Promise<void> {
  const { id, verdict } = subject.server;
  if (verdict.kind !== 'usable') return;
  const waiting = `Waiting for ${oneLine(id, 40)} (at most a minute) …`;
  const notice = setTimeout(() => notify?.(waiting), NOTICE_AFTER_MS);
  await new Promise<void>((resolve) => {
    gateway.onSettled(START_TIMEOUT_MS, resolve);
    // A server may offer more to a client with more capabilities, and the catalog cache depends on them.
    gateway.startOnly(id, profile === 'codex' ? { capabilities: CODEX_CAPABILITIES } : {});
  });
  clearTimeout(notice);
}

/** After this time a person wants to know what is happening. */
const NOTICE_AFTER_MS = 3_000;
/** Slightly more than a server's start timeout. */
const START_TIMEOUT_MS = 65_000;

function problemsOf({ problems }: LoadedConfig, entry: ExplainedEntry | undefined): readonly ConfigProblem[] {
  const places = [...(entry?.values ?? []), ...(entry?.overridden ?? [])];
  return problems.filter(({ file }) => places.some((place) => place.file === file));
}

/** Only a ready server has listed its tools, so only then is a missing tool an error. */
function pick(tools: ExplainedTools, subject: Subject, { state }: ServerStatus): ExplainedTools {
  if (subject.tool === undefined) return tools;
  const picked = pickTool(tools, subject.tool);
  const isThere = picked.tools.length + picked.leftOut.length > 0;
  if (!isThere && state === 'ready') throw unknownTool(subject, tools);
  return picked;
}
