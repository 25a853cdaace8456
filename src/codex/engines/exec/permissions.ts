import type { SessionSettings, TurnPermissions, TurnSettings } from '../../engine.ts';
import { chosenSandbox, isBuiltIn, toUserConfig, type UserConfig } from '../../user-config.ts';

/**
 * What one `codex exec` will be allowed to do, from what it is told and from the user's config: it does not say itself.
 * Where only the user's config names the sandbox, it counts as not known.
 */
export function execPermissions({
  settings: { sandbox, addDirs = [], config = {} },
  turn,
  cwd,
  user,
}: {
  readonly settings: SessionSettings;
  readonly turn: TurnSettings;
  readonly cwd: string;
  readonly user: UserConfig;
}): TurnPermissions {
  const given = toUserConfig(config);
  const named = turn.sandbox ?? sandbox;
  const asked = named ?? chosenSandbox(given);
  const permissions = asked === undefined ? user.defaultPermissions : given.defaultPermissions;
  const inForce = named === undefined ? permissions : undefined;
  const profile = inForce === undefined || isBuiltIn(inForce) ? undefined : inForce;
  // A Codex profile can also redefine the permissions that the user's config chooses.
  const redefined = config['permissions'] === undefined ? undefined : profile;
  const reviewer = config['approvals_reviewer'];
  return {
    sandbox: asked ?? redefined,
    cwd,
    writableRoots: [...new Set([...addDirs, ...given.writableRoots, ...user.writableRoots])],
    // The configuration of the limits closes /tmp where needed, but has no effect on these permissions.
    temporary: inForce === ':workspace' ? ['/tmp'] : [],
    hasNetwork: given.hasNetwork,
    ...(profile === undefined ? {} : { profile }),
    ...(typeof reviewer === 'string' ? { reviewer } : {}),
  };
}
