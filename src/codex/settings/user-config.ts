import type { SandboxMode } from '../item-types.ts';
import { withAbsoluteRoots } from '../limits/absolute-roots.ts';
import { readCodexToml } from './codex-config.ts';
import type { TomlTable, TomlValue } from './toml.ts';

/** The parts of the user's own `config.toml` that the operator's limits are compared with. */
export interface UserConfig {
  readonly sandboxMode: string | undefined;
  readonly approvalPolicy: TomlValue | undefined;
  readonly defaultPermissions: string | undefined;
  /** Folders that commands may write to beside the working folder. */
  readonly writableRoots: readonly string[];
  /** Whether `/tmp` is closed to commands. */
  readonly excludesSlashTmp: boolean;
  readonly hasNetwork: boolean;
  /** Patterns of variables that are removed from the environment of commands. */
  readonly excludedVariables: readonly string[];
  /** The PATH that commands get instead of ours. */
  readonly commandPath: string | undefined;
  /** Folders whose own configuration Codex reads. */
  readonly trustedFolders: readonly string[];
  readonly servers: Readonly<Record<string, TomlTable>>;
}

/**
 * Reads `config.toml` in a folder. A config that cannot be read says nothing: Codex itself complains of it, with the
 * better words.
 */
export async function readUserConfig(folder: string, home: string): Promise<UserConfig> {
  const config = await readCodexToml(folder, 'config.toml').catch(() => undefined);
  return toUserConfig(withAbsoluteRoots(config ?? {}, { base: folder, home }));
}

/**
 * The sandbox that a configuration chooses: `default_permissions` wins over `sandbox_mode`. A permission profile that is
 * not built in keeps its own name, because only Codex knows what it allows.
 */
export function configuredSandbox({
  sandboxMode,
  defaultPermissions,
}: Pick<UserConfig, 'sandboxMode' | 'defaultPermissions'>): string | undefined {
  return defaultPermissions === undefined ? sandboxMode : (BUILT_IN_PROFILES[defaultPermissions] ?? defaultPermissions);
}

/** Whether permissions are one of the sandbox modes under another name. */
export function isBuiltInProfile(permissions: string): boolean {
  return permissions.startsWith(':');
}

const BUILT_IN_PROFILES: Readonly<Record<string, SandboxMode>> = {
  ':read-only': 'read-only',
  ':workspace': 'workspace-write',
  ':danger-full-access': 'danger-full-access',
};

/** The same parts of a profile, or of any configuration in Codex's words. */
export function toUserConfig(config: Readonly<Record<string, unknown>>): UserConfig {
  const workspace = tableOf(config['sandbox_workspace_write']);
  return {
    sandboxMode: textOf(config['sandbox_mode']),
    approvalPolicy: config['approval_policy'] as TomlValue | undefined,
    defaultPermissions: textOf(config['default_permissions']),
    writableRoots: textsOf(workspace['writable_roots']),
    excludesSlashTmp: workspace['exclude_slash_tmp'] === true,
    hasNetwork: workspace['network_access'] === true,
    excludedVariables: textsOf(tableOf(config['shell_environment_policy'])['exclude']),
    commandPath: textOf(tableOf(tableOf(config['shell_environment_policy'])['set'])['PATH']),
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === 'string') : [];
}
