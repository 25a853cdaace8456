import type { SandboxMode } from '../item-types.ts';
import { stringOf, stringsOf } from '../json-values.ts';
import { withAbsoluteRoots } from '../limits/absolute-roots.ts';
import { readCodexToml } from './codex-config.ts';
import type { TomlTable, TomlValue } from './toml.ts';

/** The parts of the user's own `config.toml` that matter for the operator's limits. */
export interface UserConfig {
  readonly sandboxMode: string | undefined;
  readonly approvalPolicy: TomlValue | undefined;
  readonly defaultPermissions: string | undefined;
  /** Folders besides the working folder that commands may write to. */
  readonly writableRoots: readonly string[];
  /** Whether `/tmp` is closed to commands. */
  readonly excludesSlashTmp: boolean;
  readonly hasNetwork: boolean;
  /** Patterns of variables that are removed from the environment of commands. */
  readonly excludedVariables: readonly string[];
  /** The PATH that commands get instead of this server's. */
  readonly commandPath: string | undefined;
  /** Folders whose own configuration Codex reads. */
  readonly trustedFolders: readonly string[];
  readonly servers: Readonly<Record<string, TomlTable>>;
}

/** Reads `config.toml` in a folder. Treats an unreadable config as empty: Codex reports it, with a better message. */
export async function readUserConfig(folder: string, home: string): Promise<UserConfig> {
  const config = await readCodexToml(folder, 'config.toml').catch(() => undefined);
  return toUserConfig(withAbsoluteRoots(config ?? {}, { base: folder, home }));
}

/**
 * Returns the sandbox that a configuration chooses: `default_permissions` wins over `sandbox_mode`. A permission
 * profile that is not built in keeps its own name, because only Codex knows what it allows.
 */
export function configuredSandbox({
  sandboxMode,
  defaultPermissions,
}: Pick<UserConfig, 'sandboxMode' | 'defaultPermissions'>): string | undefined {
  return defaultPermissions === undefined ? sandboxMode : (BUILT_IN_PROFILES[defaultPermissions] ?? defaultPermissions);
}

/** Returns whether a permission profile is one of the sandbox modes under another name. */
export function isBuiltInProfile(permissions: string): boolean {
  return permissions.startsWith(':');
}

const BUILT_IN_PROFILES: Readonly<Record<string, SandboxMode>> = {
  ':read-only': 'read-only',
  ':workspace': 'workspace-write',
  ':danger-full-access': 'danger-full-access',
};

/** Extracts the same parts from a profile, or from any configuration with Codex's keys. */
export function toUserConfig(config: Readonly<Record<string, unknown>>): UserConfig {
  const workspace = tableOf(config['sandbox_workspace_write']);
  return {
    sandboxMode: stringOf(config['sandbox_mode']),
    approvalPolicy: config['approval_policy'] as TomlValue | undefined,
    defaultPermissions: stringOf(config['default_permissions']),
    writableRoots: stringsOf(workspace['writable_roots']),
    excludesSlashTmp: workspace['exclude_slash_tmp'] === true,
    hasNetwork: workspace['network_access'] === true,
    excludedVariables: stringsOf(tableOf(config['shell_environment_policy'])['exclude']),
    commandPath: stringOf(tableOf(tableOf(config['shell_environment_policy'])['set'])['PATH']),
    trustedFolders: Object.entries(tableOf(config['projects']))
      .filter(([, project]) => tableOf(project)['trust_level'] === 'trusted')
      .map(([folder]) => folder),
    servers: Object.fromEntries(
      Object.entries(tableOf(config['mcp_servers'])).map(([name, server]) => [name, tableOf(server)]),
    ),
  };
}

function tableOf(value: unknown): TomlTable {
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isTable ? (value as TomlTable) : {};
}
