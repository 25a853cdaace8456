import { join, parse } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { foldersUpTo, refusePlaces } from '../limits/folder-rules.ts';
import { isLimited, refuseSandbox } from '../limits/operator-limits.ts';
import type { Workplace } from '../server-context.ts';
import { widerServer } from './caller-servers.ts';
import { checkWritable } from './check-paths.ts';
import { mergeConfig } from './merge-config.ts';
import { readUserConfig, toUserConfig } from './user-config.ts';

type Members = Readonly<Record<string, unknown>>;

/** Where a session is to run. */
export interface ConfigPlace {
  readonly workplace: Pick<Workplace, 'ceilings' | 'protectedFolders' | 'codexHome' | 'cwd' | 'home'>;
  /** Its working folder. */
  readonly folder: string;
  /** The settings of the profile that the caller names. */
  readonly profile?: Members | undefined;
}

/**
 * Throws DENIED for settings of a caller that reach beyond what the operator allows. Where the operator has set limits,
 * only settings are let through that are known to be harmless; elsewhere those are refused that are known not to be.
 */
export async function refuseConfig(config: Members, place: ConfigPlace): Promise<void> {
  const { ceilings } = place.workplace;
  refuseOddKeys(config);
  const asked = config['sandbox_mode'];
  if (asked !== undefined) refuseSandbox(ceilings, String(asked));
  await refuseRoots(config, place);
  if (ceilings.allowsDanger) return;
  const servers = isObject(config['mcp_servers']) ? config['mcp_servers'] : {};
  const server = Object.keys(servers).length === 0 ? undefined : widerServer(servers, await serversAt(place));
  const culprit =
    (server === undefined ? undefined : `mcp_servers.${server}`) ??
    Object.keys(config).find((key) => DANGEROUS.has(key)) ??
    (isLimited(ceilings) ? Object.keys(config).find((key) => !HARMLESS.has(key)) : undefined);
  if (culprit === undefined) return;
  const text = `config.${culprit} may give a session more than its sandbox allows. The operator of this server must allow it: switchboard codex --allow-dangerous (or SWITCHBOARD_ALLOW_DANGEROUS=1).`;
  throw new AppError('DENIED', text, { data: { key: culprit } });
}

/** Codex cuts the first part of a key at its dots once more, whatever quotes stand around it. */
function refuseOddKeys(config: Members): void {
  const odd = Object.keys(config).find((key) => !/^[\w-]+$/.test(key));
  if (odd === undefined) return;
  throw new AppError(
    'BAD_ARGUMENTS',
    `config: ${JSON.stringify(odd)} is no key of Codex's configuration: write it without quotes.`,
  );
}

/** The servers of the user's config with the profile laid over it, and those of each project that contains the folder. */
async function serversAt({ workplace: { codexHome, home }, folder, profile = {} }: ConfigPlace) {
  const user = await readUserConfig(codexHome, home);
  const projects = foldersUpTo(folder, parse(folder).root).map((at) => readUserConfig(join(at, '.codex'), home));
  const merged = toUserConfig(mergeConfig({ mcp_servers: user.servers }, profile));
  return [merged, ...(await Promise.all(projects))].map(({ servers }) => servers);
}

/** Folders that the configuration opens are held to what `addDirs` is held to. */
async function refuseRoots(config: Members, { workplace, folder }: ConfigPlace): Promise<void> {
  const workspace = config['sandbox_workspace_write'];
  const roots = isObject(workspace) ? workspace['writable_roots'] : undefined;
  const name = 'config.sandbox_workspace_write.writable_roots';
  for (const root of Array.isArray(roots) ? roots.map(String) : []) {
    const writable = [await checkWritable(root, name, workplace, folder)];
    refusePlaces({ cwd: '', writable, temporary: [], isReadOnly: false }, workplace);
  }
}

/** By these Codex starts programs, sends credentials elsewhere, replaces its sandbox or reads files of its caller's choice. */
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
