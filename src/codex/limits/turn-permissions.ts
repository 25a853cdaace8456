import { AppError } from '../../base/errors.ts';
import type { TurnPermissions } from '../engine.ts';
import { realPathOf } from '../real-folder.ts';
import type { ServerContext } from '../server-context.ts';
import { configuredSandbox, type UserConfig } from '../settings/user-config.ts';
import type { ProtectedTargets } from './find-protected.ts';
import { assertFoldersAllowed } from './folder-rules.ts';
import { withoutMemories } from './open-memories.ts';
import { assertEffectiveSandboxAllowed, assertSandboxAllowed, enforcesLimits } from './operator-limits.ts';

/** The origin of a turn's settings. A caller is not responsible for settings in the user's own config. */
export type SettingsOrigin =
  /** The user's own config, and arguments that were checked. */
  | 'user'
  /** Also includes configuration or a profile that the caller chose. */
  | 'caller'
  /** A stored session, regardless of who created it. */
  | 'stored';

export interface PermissionContext {
  readonly serverContext: Pick<ServerContext, 'operatorLimits' | 'protectedFolders' | 'home' | 'codexHome'>;
  readonly user: UserConfig;
  /** The protected folders, if they were resolved earlier. */
  readonly protectedTargets?: ProtectedTargets | undefined;
}

/** Throws DENIED if Codex would let a turn do more than the operator allows. */
export function assertPermissionsAllowed(
  permissions: TurnPermissions,
  origin: SettingsOrigin,
  { serverContext, user, protectedTargets }: PermissionContext,
): void {
  const { operatorLimits } = serverContext;
  const { sandbox, profile, cwd, tempFolders } = permissions;
  assertEffectiveSandboxAllowed(operatorLimits, sandbox, origin === 'caller');
  const isUsers = profile === undefined ? sandbox === configuredSandbox(user) : profile === user.defaultPermissions;
  if (origin === 'stored' && sandbox !== undefined && !isUsers) assertSandboxAllowed(operatorLimits, sandbox);
  const roots = withoutMemories(permissions, serverContext);
  const own = new Set(user.writableRoots.map(realPathOf));
  const granted = roots.filter((folder) => own.has(realPathOf(folder)));
  const writable = roots.filter((folder) => !granted.includes(folder));
  assertFoldersAllowed(
    { cwd, writable, granted, tempFolders, isReadOnly: sandbox === 'read-only' },
    { ...serverContext, protectedTargets },
  );
  if (enforcesLimits(operatorLimits)) assertNoExtraPermissions(permissions, user);
}

/** Throws DENIED for permissions other than the sandbox and its folders. */
function assertNoExtraPermissions({ profile, reviewer, hasNetwork }: TurnPermissions, user: UserConfig): void {
  if (profile !== undefined)
    throw denied(
      `the permission profile ${profile}, which cannot be compared with the limits of this server: set sandbox: "workspace-write", or a stricter one`,
    );
  if (reviewer !== undefined && reviewer !== 'user')
    throw denied(
      `approvals decided by ${reviewer} instead of a person, but the operator of this server has set limits`,
    );
  if (hasNetwork && !user.hasNetwork)
    throw denied(
      'network access that the config of its user does not grant, but the operator of this server has set limits',
    );
}

function denied(what: string): AppError {
  return new AppError('DENIED', `Codex would run this session with ${what}.`);
}
