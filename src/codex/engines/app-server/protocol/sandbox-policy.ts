import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { SandboxMode } from '../../../item-types.ts';
import { mergeConfig } from '../../../settings/merge-config.ts';

export interface TurnSandbox {
  /** The sandbox of the session, in Codex's format. */
  readonly current: unknown;
  /** The sandbox that the turn sets. */
  readonly requested: SandboxMode | undefined;
  readonly addDirs: readonly string[];
  /** Reads `[sandbox_workspace_write]` for the session. Called only if the turn needs it. */
  readonly settings: () => Promise<JsonObject>;
}

/**
 * Returns the sandbox of a turn, if it has to be sent: the one that the turn sets, with the user's own settings for it,
 * and the additional writable folders. Codex's configuration also has a key for those folders, but it would replace the
 * user's.
 */
export async function toSandboxPolicy({
  current,
  requested,
  addDirs,
  settings,
}: TurnSandbox): Promise<JsonObject | undefined> {
  const policy = requested === undefined ? undefined : await buildPolicy(requested, current, settings);
  const base = policy ?? current;
  if (addDirs.length === 0 || !isWritable(base)) return policy;
  const roots = Array.isArray(base['writableRoots']) ? base['writableRoots'] : [];
  return { ...base, writableRoots: [...new Set([...roots, ...addDirs])] };
}

export function isWritable(policy: unknown): policy is JsonObject {
  return isObject(policy) && policy['type'] === 'workspaceWrite';
}

/** Merges the sandbox settings of the user's configuration with those of the session, which win. */
export function sandboxSettings(configured: unknown, ofSession: JsonObject | undefined): JsonObject {
  const own = isObject(configured) ? configured['sandbox_workspace_write'] : undefined;
  const more = ofSession?.['sandbox_workspace_write'];
  return mergeConfig(isObject(own) ? own : {}, isObject(more) ? more : {});
}

export function sandboxName(policy: unknown): string | undefined {
  const type = isObject(policy) ? policy['type'] : undefined;
  return typeof type === 'string' ? (NAMES[type] ?? type) : undefined;
}

const NAMES: Readonly<Record<string, SandboxMode>> = {
  readOnly: 'read-only',
  workspaceWrite: 'workspace-write',
  dangerFullAccess: 'danger-full-access',
};

/** A session that already has this sandbox keeps it unchanged. */
async function buildPolicy(
  requested: SandboxMode,
  current: unknown,
  settings: TurnSandbox['settings'],
): Promise<JsonObject> {
  if (isObject(current) && sandboxName(current) === requested) return current;
  switch (requested) {
    case 'read-only':
      return { type: 'readOnly', networkAccess: false };
    case 'workspace-write':
      return toWorkspaceWrite(await settings());
    case 'danger-full-access':
      return { type: 'dangerFullAccess' };
  }
}

function toWorkspaceWrite(settings: JsonObject): JsonObject {
  const roots = settings['writable_roots'];
  return {
    type: 'workspaceWrite',
    writableRoots: Array.isArray(roots) ? roots : [],
    networkAccess: settings['network_access'] === true,
    excludeTmpdirEnvVar: settings['exclude_tmpdir_env_var'] === true,
    excludeSlashTmp: settings['exclude_slash_tmp'] === true,
  };
}
