import { AppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';
import { type Ceilings, isLimited, refuseOutside, refuseSandbox } from './ceilings.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Throws DENIED for settings of a caller that reach beyond what the operator allows. Where the operator has set limits,
 * only settings are let through that are known to be harmless; elsewhere those are refused that are known not to be.
 */
export async function refuseConfig(ceilings: Ceilings, config: Members): Promise<void> {
  refuseOddKeys(config);
  const asked = config['sandbox_mode'];
  if (asked !== undefined) refuseSandbox(ceilings, String(asked));
  for (const folder of writableRoots(config))
    await refuseOutside(ceilings, folder, 'config.sandbox_workspace_write.writable_roots:');
  if (ceilings.allowsDanger) return;
  const culprit = dangerousKey(config) ?? (isLimited(ceilings) ? unknownKey(config) : undefined);
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

function writableRoots(config: Members): readonly string[] {
  const sandbox = config['sandbox_workspace_write'];
  const roots = isObject(sandbox) ? sandbox['writable_roots'] : undefined;
  return Array.isArray(roots) ? roots.map(String) : [];
}

/** By these Codex starts programs, sends credentials elsewhere, replaces its sandbox or reads files of its caller's choice. */
const DANGEROUS: ReadonlySet<string> = new Set([
  'approvals_reviewer',
  'chatgpt_base_url',
  'cli_auth_credentials_store',
  'default_permissions',
  'experimental_compact_prompt_file',
  'experimental_instructions_file',
  'hooks',
  'js_repl_node_path',
  'log_dir',
  'marketplaces',
  'model_catalog_json',
  'model_instructions_file',
  'model_providers',
  'notify',
  'openai_base_url',
  'otel',
  'permissions',
  'plugins',
  'profile',
  'profiles',
  'projects',
  'shell_environment_policy',
  'sqlite_home',
  'zsh_path',
]);

/** Of an MCP server a caller may change how long it is waited for and which of its tools are there, and nothing else. */
const HARMLESS_OF_SERVER: ReadonlySet<string> = new Set([
  'disabled_tools',
  'enabled',
  'enabled_tools',
  'required',
  'startup_timeout_sec',
  'tool_timeout_sec',
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

function dangerousKey(config: Members): string | undefined {
  const servers = isObject(config['mcp_servers']) ? config['mcp_servers'] : {};
  for (const [name, server] of Object.entries(servers)) {
    const key = isObject(server) ? Object.keys(server).find((member) => !HARMLESS_OF_SERVER.has(member)) : '';
    if (key !== undefined) return `mcp_servers.${name}`;
  }
  return Object.keys(config).find((key) => DANGEROUS.has(key));
}

function unknownKey(config: Members): string | undefined {
  return Object.keys(config).find((key) => !HARMLESS.has(key));
}
