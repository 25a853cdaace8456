import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { TurnPermissions } from '../../../engine.ts';
import { stringsOf } from '../../../json-values.ts';
import { opensMemories } from '../../../limits/open-memories.ts';
import type { CodexVersion } from '../../../locate/codex-version.ts';
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

export interface TurnContext {
  /** The turn sets its own sandbox, which replaces a permission profile. */
  readonly isSandboxRequested: boolean;
  readonly tmpdir: string | undefined;
  readonly version: CodexVersion | undefined;
}

/** Returns the permissions of a turn with this sandbox policy. */
export function toTurnPermissions(
  opened: OpenedPermissions,
  policy: unknown,
  { isSandboxRequested, tmpdir, version }: TurnContext,
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
    ...(version !== undefined && opensMemories(version) ? { opensMemories: true } : {}),
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
