import { AppError } from '../../base/errors.ts';
import type { TurnPermissions } from '../engine.ts';
import { realFolder } from '../real-folder.ts';
import type { Workplace } from '../server-context.ts';
import { chosenSandbox, type UserConfig } from '../settings/user-config.ts';
import { refusePlaces } from './folder-rules.ts';
import { refuseMemories } from './open-memories.ts';
import { isEnforced, refuseOpened, refuseSandbox } from './operator-limits.ts';

/** Where the settings of a turn came from: those of the user's own config are not a caller's doing. */
export type SettingsOrigin =
  /** The user's own config, and arguments that were checked. */
  | 'user'
  /** Also configuration or a profile that the caller chose. */
  | 'caller'
  /** A stored session, whoever made it. */
  | 'stored';

/** Throws DENIED when Codex would let a turn do more than the operator allows. */
export function refusePermissions(
  permissions: TurnPermissions,
  origin: SettingsOrigin,
  { workplace, user }: { readonly workplace: Workplace; readonly user: UserConfig },
): void {
  const { ceilings } = workplace;
  const { sandbox, profile, cwd, temporary } = permissions;
  refuseOpened(ceilings, sandbox, origin === 'caller');
  const isUsers = profile === undefined ? sandbox === chosenSandbox(user) : profile === user.defaultPermissions;
  if (origin === 'stored' && sandbox !== undefined && !isUsers) refuseSandbox(ceilings, sandbox);
  refuseMemories(permissions, workplace);
  const own = new Set(user.writableRoots.map(realFolder));
  const granted = permissions.writableRoots.filter((folder) => own.has(realFolder(folder)));
  const writable = permissions.writableRoots.filter((folder) => !granted.includes(folder));
  refusePlaces({ cwd, writable, granted, temporary, isReadOnly: sandbox === 'read-only' }, workplace);
  if (isEnforced(ceilings)) refuseExtras(permissions, user);
}

/** Permissions beside the sandbox and its folders. */
function refuseExtras({ profile, reviewer, hasNetwork }: TurnPermissions, user: UserConfig): void {
  if (profile !== undefined)
    throw denied(
      `the permission profile ${profile}, which cannot be compared with the limits of this server: say sandbox: "workspace-write", or less`,
    );
  if (reviewer !== undefined && reviewer !== 'user')
    throw denied(
      `approvals decided by ${reviewer} instead of a person, and the operator of this server has set limits`,
    );
  if (hasNetwork && !user.hasNetwork)
    throw denied(
      'network access that the config of its user does not give, and the operator of this server has set limits',
    );
}

function denied(what: string): AppError {
  return new AppError('DENIED', `Codex would run this session with ${what}.`);
}
