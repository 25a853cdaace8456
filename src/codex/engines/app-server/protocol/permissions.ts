import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { TurnPermissions } from '../../../engine.ts';
import { stringsOf } from '../../../json-values.ts';
import { isBuiltInProfile } from '../../../settings/user-config.ts';
import { isWritable, sandboxName } from './sandbox-policy.ts';

/** The permissions that Codex reported when it opened a session. */
export interface OpenedPermissions {
  readonly cwd: string;
  /** Writable roots that a session keeps regardless of a turn's sandbox. */
  readonly runtimeRoots: readonly string[];
  readonly profile: string | undefined;
  readonly reviewer: string | undefined;
}

export function toOpenedPermissions(answer: JsonObject, cwd: string): OpenedPermissions {
  const { runtimeWorkspaceRoots, activePermissionProfile, approvalsReviewer } = answer;
  const id = isObject(activePermissionProfile) ? activePermissionProfile['id'] : undefined;
  return {
    cwd,
    runtimeRoots: stringsOf(runtimeWorkspaceRoots),
    profile: typeof id === 'string' && !isBuiltInProfile(id) ? id : undefined,
    reviewer: typeof approvalsReviewer === 'string' ? approvalsReviewer : undefined,
  };
}

/**
 * Returns the permissions of a turn with this sandbox policy.
 *
 * @param isSandboxRequested The turn sets its own sandbox, which replaces a permission profile.
 */
export function toTurnPermissions(
  opened: OpenedPermissions,
  policy: unknown,
  { isSandboxRequested, tmpdir }: { readonly isSandboxRequested: boolean; readonly tmpdir: string | undefined },
): TurnPermissions {
  const { cwd, runtimeRoots, profile, reviewer } = opened;
  const canWrite = isWritable(policy);
  const { networkAccess } = isObject(policy) ? policy : {};
  return {
    sandbox: sandboxName(policy),
    cwd,
    writableRoots: canWrite ? [...new Set([...stringsOf(policy['writableRoots']), ...runtimeRoots])] : [],
    tempFolders: canWrite ? writableTempFolders(policy, tmpdir) : [],
    hasNetwork: networkAccess !== undefined && networkAccess !== false && networkAccess !== 'restricted',
    ...(profile === undefined || isSandboxRequested ? {} : { profile }),
    ...(reviewer === undefined ? {} : { reviewer }),
  };
}

function writableTempFolders(
  { excludeSlashTmp, excludeTmpdirEnvVar }: JsonObject,
  tmpdir: string | undefined,
): readonly string[] {
  return [
    ...(excludeSlashTmp === true ? [] : ['/tmp']),
    ...(excludeTmpdirEnvVar === true || tmpdir === undefined ? [] : [tmpdir]),
  ];
}
