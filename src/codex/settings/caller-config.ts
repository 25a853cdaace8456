import { join, parse } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../wire/messages.ts';
import { ancestorFolders, assertFoldersAllowed } from '../limits/folder-rules.ts';
import { assertSandboxAllowed, hasLimits } from '../limits/operator-limits.ts';
import type { ServerContext } from '../server-context.ts';
import { checkWritableFolder } from './check-paths.ts';
import { mergeConfig } from './merge-config.ts';
import { readUserConfig, toUserConfig } from './user-config.ts';

/** The environment that a session is to run in. */
export interface ConfigContext {
  readonly serverContext: Pick<ServerContext, 'operatorLimits' | 'protectedFolders' | 'codexHome' | 'cwd' | 'home'>;
  /** The working folder of the session. */
  readonly folder: string;
  /** The settings of the profile that the caller chose. */
  readonly profile?: JsonObject | undefined;
}

/**
 * Throws DENIED for settings of a caller that exceed what the operator allows. If the operator has set limits, only
 * settings known to be harmless are allowed. Otherwise, only settings known to be dangerous are refused.
 */
export async function assertConfigAllowed(config: JsonObject, context: ConfigContext): Promise<void> {
  const { operatorLimits } = context.serverContext;
  assertPlainKeys(config);
  const requestedSandbox = config['sandbox_mode'];
  if (requestedSandbox !== undefined) assertSandboxAllowed(operatorLimits, String(requestedSandbox));
  await assertWritableRootsAllowed(config, context);
  if (operatorLimits.allowsDanger) return;
  const servers = isObject(config['mcp_servers']) ? config['mcp_servers'] : {};
  const server =
    Object.keys(servers).length === 0 ? undefined : findWidenedServer(servers, await configuredServers(context));
  const deniedKey =
    (server === undefined ? undefined : `mcp_servers.${server}`) ??
    Object.keys(config).find((key) => DANGEROUS.has(key)) ??
    (hasLimits(operatorLimits) ? Object.keys(config).find((key) => !HARMLESS.has(key)) : undefined);
  if (deniedKey === undefined) return;
  const text = `config.${deniedKey} may give a session more than its sandbox allows. The operator of this server must allow it: switchboard codex --allow-dangerous (or SWITCHBOARD_ALLOW_DANGEROUS=1).`;
  throw new AppError('DENIED', text, { data: { key: deniedKey } });
}

/** Throws for keys that need quotes, because Codex splits the first part of a key at its dots even if it is quoted. */
function assertPlainKeys(config: JsonObject): void {
  const odd = Object.keys(config).find((key) => !/^[\w-]+$/.test(key));
  if (odd === undefined) return;
  throw new AppError(
    'BAD_ARGUMENTS',
    `config: ${JSON.stringify(odd)} is not a key of Codex's configuration: write it without quotes.`,
  );
}

/** Returns the servers of the user's config, merged with the profile, and of each project that contains the folder. */
async function configuredServers({ serverContext: { codexHome, home }, folder, profile = {} }: ConfigContext) {
  const user = await readUserConfig(codexHome, home);
  const projects = ancestorFolders(folder, parse(folder).root).map((at) => readUserConfig(join(at, '.codex'), home));
  const merged = toUserConfig(mergeConfig({ mcp_servers: user.servers }, profile));
  return [merged, ...(await Promise.all(projects))].map(({ servers }) => servers);
}

/** Checks folders that the configuration makes writable by the same rules as `addDirs`. */
async function assertWritableRootsAllowed(config: JsonObject, { serverContext, folder }: ConfigContext): Promise<void> {
  const workspace = config['sandbox_workspace_write'];
  const roots = isObject(workspace) ? workspace['writable_roots'] : undefined;
  const name = 'config.sandbox_workspace_write.writable_roots';
  for (const root of Array.isArray(roots) ? roots.map(String) : []) {
    const writable = [await checkWritableFolder(root, name, serverContext, folder)];
    assertFoldersAllowed({ cwd: '', writable, tempFolders: [], isReadOnly: false }, serverContext);
  }
}

/**
 * Settings with which Codex starts programs, sends credentials elsewhere, replaces its sandbox or reads files that the
 * caller chooses.
 */
const DANGEROUS: ReadonlySet<string> = new Set([
  'agents',
  'approvals_reviewer',
  'apps',
  'auto_review',
  'browser_use',
  'chatgpt_base_url',
  'cli_auth_credentials_store',
  'computer_use',
  'default_permissions',
  'desktop',
  'experimental_compact_prompt_file',
  'experimental_instructions_file',
  'experimental_realtime_webrtc_call_base_url',
  'experimental_realtime_ws_base_url',
  'experimental_thread_store',
  'experimental_thread_store_endpoint',
  'hooks',
  'js_repl_node_module_dirs',
  'js_repl_node_path',
  'log_dir',
  'marketplaces',
  'mcp_oauth_callback_url',
  'mcp_oauth_credentials_store',
  'model_catalog_json',
  'model_instructions_file',
  'model_providers',
  'notify',
  'openai_base_url',
  'orchestrator',
  'otel',
  'permissions',
  'plugins',
  'profile',
  'profiles',
  'project_root_markers',
  'projects',
  'shell_environment_policy',
  'skills',
  'sqlite_home',
  'tool_suggest',
  'windows',
  'zsh_path',
]);

const HARMLESS: ReadonlySet<string> = new Set([
  'approval_policy',
  'compact_prompt',
  'developer_instructions',
  'hide_agent_reasoning',
  'instructions',
  'mcp_servers',
  'model',
  'model_auto_compact_token_limit',
  'model_context_window',
  'model_reasoning_effort',
  'model_reasoning_summary',
  'model_verbosity',
  'personality',
  'plan_mode_reasoning_effort',
  'project_doc_max_bytes',
  'sandbox_mode',
  'service_tier',
  'show_raw_agent_reasoning',
  'tool_output_token_limit',
]);

type Servers = Readonly<Record<string, JsonObject>>;

/** MCP server settings that a caller may change freely. Otherwise a caller may only restrict what the user allows. */
const HARMLESS_SERVER_SETTINGS: ReadonlySet<string> = new Set(['required', 'startup_timeout_sec', 'tool_timeout_sec']);

/** Returns the name of a server for which the caller's settings allow more than one of the user's configurations. */
function findWidenedServer(requested: JsonObject, configs: readonly Servers[]): string | undefined {
  return Object.entries(requested).find(([name, server]) => {
    if (!isObject(server)) return true;
    const own = configs.map((servers) => (Object.hasOwn(servers, name) ? (servers[name] ?? {}) : {}));
    return Object.entries(server).some(([key, value]) => !own.every((before) => isNarrower(key, value, before)));
  })?.[0];
}

function isNarrower(key: string, value: unknown, own: JsonObject): boolean {
  if (HARMLESS_SERVER_SETTINGS.has(key)) return true;
  const before = Array.isArray(own[key]) ? own[key] : undefined;
  const after = Array.isArray(value) ? value : undefined;
  switch (key) {
    case 'enabled':
      return value === false;
    case 'enabled_tools':
      return after !== undefined && (before === undefined || after.every((tool) => before.includes(tool)));
    case 'disabled_tools':
      return after !== undefined && (before === undefined || before.every((tool) => after.includes(tool)));
  }
  return false;
}
