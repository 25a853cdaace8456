import type { SessionSettings, TurnPermissions, TurnSettings } from '../../engine.ts';
import { configuredSandbox, isBuiltInProfile, toUserConfig, type UserConfig } from '../../settings/user-config.ts';

/**
 * Determines the permissions of one `codex exec` from its arguments and the user's config, because it does not report
 * them. If only the user's config sets the sandbox, it counts as unknown.
 */
export function toExecPermissions({
  settings: { sandbox, addDirs = [], config = {} },
  turn,
  cwd,
  user,
  openTempFolders,
}: {
  readonly settings: SessionSettings;
  readonly turn: TurnSettings;
  readonly cwd: string;
  readonly user: UserConfig;
  /** The temporary folders that the limits leave open. */
  readonly openTempFolders: readonly string[];
}): TurnPermissions {
  const given = toUserConfig(config);
  const named = turn.sandbox ?? sandbox;
  const requested = named ?? configuredSandbox(given);
  const permissions = requested === undefined ? user.defaultPermissions : given.defaultPermissions;
  const effective = named === undefined ? permissions : undefined;
  const profile = effective === undefined || isBuiltInProfile(effective) ? undefined : effective;
  // A Codex profile can also redefine the permissions that the user's config chooses.
  const redefined = config['permissions'] === undefined ? undefined : profile;
  const reviewer = config['approvals_reviewer'];
  return {
    sandbox: requested ?? redefined,
    cwd,
    writableRoots: [...new Set([...addDirs, ...given.writableRoots, ...user.writableRoots])],
    tempFolders: writableTempFolders({
      sandbox: requested,
      permissions: effective,
      user,
      openTempFolders,
    }),
    hasNetwork: given.hasNetwork,
    ...(profile === undefined ? {} : { profile }),
    ...(typeof reviewer === 'string' ? { reviewer } : {}),
  };
}

function writableTempFolders({
  sandbox,
  permissions,
  user,
  openTempFolders,
}: {
  readonly sandbox: string | undefined;
  readonly permissions: string | undefined;
  readonly user: UserConfig;
  readonly openTempFolders: readonly string[];
}): readonly string[] {
  if (sandbox === 'read-only') return [];
  // The configuration of the limits closes /tmp where needed, but has no effect on these permissions.
  if (permissions === ':workspace') return [...new Set(['/tmp', ...openTempFolders])];
  return openTempFolders.filter((folder) => folder !== '/tmp' || !user.excludesSlashTmp);
}
