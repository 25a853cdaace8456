import type { SessionSettings, TurnPermissions, TurnSettings } from '../../engine.ts';
import { toUserConfig } from '../../user-config.ts';

/**
 * What one `codex exec` will be allowed to do, from what it is told: it does not say itself. Where nothing names the
 * sandbox, it is not known. The temporary folders are left to the configuration of the limits, which always counts here.
 */
export function execPermissions(
  { sandbox, addDirs = [], config = {} }: SessionSettings,
  turn: TurnSettings,
  cwd: string,
): TurnPermissions {
  const given = toUserConfig(config);
  const named = turn.sandbox ?? sandbox;
  const reviewer = config['approvals_reviewer'];
  return {
    sandbox: named ?? given.sandboxMode,
    cwd,
    writableRoots: [...addDirs, ...given.writableRoots],
    temporary: [],
    hasNetwork: given.hasNetwork,
    ...(given.defaultPermissions === undefined || named !== undefined ? {} : { profile: given.defaultPermissions }),
    ...(typeof reviewer === 'string' ? { reviewer } : {}),
  };
}
