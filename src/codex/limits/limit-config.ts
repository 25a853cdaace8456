import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import type { JsonObject } from '../../wire/messages.ts';
import type { LimitConfig } from '../engine.ts';
import { realPathOf } from '../real-folder.ts';
import { readUserConfig, toUserConfig, type UserConfig } from '../settings/user-config.ts';
import { findProtected, resolveProtected } from './find-protected.ts';
import { ancestorFolders, overlaps } from './folder-rules.ts';
import { enforcesLimits, isInside, type OperatorLimits } from './operator-limits.ts';
import { appliesUntrustedRules, refusePlantedRules } from './planted-rules.ts';
import type { ProtectedFolder } from './protected-folders.ts';
import { safePath } from './safe-path.ts';
import { traceLinks } from './trace-links.ts';
import type { FindWritableFolder } from './writable-folders.ts';

export interface LimitConfigOptions {
  readonly operatorLimits: OperatorLimits;
  readonly codexHome: string;
  /** The home folder of the user. */
  readonly home: string;
  readonly protectedFolders: readonly ProtectedFolder[];
  readonly platform: NodeJS.Platform;
  readonly writable: () => Promise<FindWritableFolder>;
}

/** Creates the configuration that makes Codex enforce the operator's limits. Returns undefined if there are none. */
export function createLimitConfig(options: LimitConfigOptions): LimitConfig | undefined {
  const { operatorLimits, codexHome, home } = options;
  if (!enforcesLimits(operatorLimits)) return undefined;
  return async ({ cwd, settings, readsPolicyFromConfig, protectsProjectConfig, version }) => {
    const user = await readUserConfig(codexHome, home);
    const root = allowedRoot(cwd, operatorLimits);
    const isTrusted =
      protectsProjectConfig && user.trustedFolders.some((folder) => realPathOf(folder) === root) && hasNoLinks(root);
    const requested = toUserConfig(settings.config ?? {});
    const project = isTrusted ? [await readUserConfig(join(root, '.codex'), home)] : [];
    const hasPolicy = [settings.approvalPolicy, requested.approvalPolicy, user.approvalPolicy].some(isSet);
    const hasSandbox = [settings.sandbox, requested.sandboxMode, requested.defaultPermissions].some(isSet);
    const isConfigured = isSet(user.sandboxMode) || isSet(user.defaultPermissions);
    const commandPath = await safeCommandPath([user, ...project, requested], options);
    // No `await` after this check: Codex should start as soon as possible after it.
    refusePlantedRules(cwd, { version, codexHome });
    return {
      features: { ...UNSAFE_FEATURES, ...(appliesUntrustedRules(version) ? AGENTS : {}) },
      // Only for Codex's own git: the commands of a session must find their repository.
      shell_environment_policy: {
        exclude: toExcluded([user, requested, ...project]),
        ...commandPath,
      },
      approvals_reviewer: 'user',
      projects: Object.fromEntries(
        untrustedFolders(cwd, { root, isTrusted }).map((folder) => [folder, { trust_level: 'untrusted' }]),
      ),
      ...closedTempFolders(options),
      // Codex's defaults for an unknown folder. Its defaults for a folder that is marked as untrusted are different.
      ...(readsPolicyFromConfig && !hasPolicy ? { approval_policy: 'on-request' } : {}),
      ...(readsPolicyFromConfig && !hasSandbox && !isConfigured
        ? { sandbox_mode: defaultSandbox(cwd, operatorLimits, user) }
        : {}),
    };
  };
}

/**
 * Returns the folders whose own configuration Codex must ignore, because a session may have written it: all from the
 * working folder up to the allowed one. The configuration of the allowed folder itself applies if the user's config
 * trusts the folder and no session could write its `.codex`: Codex protects `.codex` only in the working folder itself,
 * not in subfolders.
 */
function untrustedFolders(
  cwd: string,
  { root, isTrusted }: { readonly root: string; readonly isTrusted: boolean },
): readonly string[] {
  // Codex also walks up the path that it was given, which may pass through other folders than the real path.
  const within = ancestorFolders(cwd, parse(cwd).root).filter((folder) => isInside(root, realPathOf(folder)));
  return [...new Set([...ancestorFolders(realPathOf(cwd), root), ...within])].filter(
    (folder) => !isTrusted || realPathOf(folder) !== root,
  );
}

/** Returns the outermost allowed folder that contains the working folder. */
function allowedRoot(cwd: string, { roots }: OperatorLimits): string {
  const real = realPathOf(cwd);
  const [root = dirname(real)] = roots
    .filter((allowed) => isInside(allowed, real))
    .toSorted((a, b) => a.length - b.length);
  return root;
}

/** Returns whether the project's configuration has no links, which could lead to a folder that sessions may write. */
function hasNoLinks(root: string): boolean {
  const folder = join(root, '.codex');
  const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (!isThere) return true;
  try {
    const file = join(folder, 'config.toml');
    const isFile = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    return realpathSync.native(folder) === folder && (!isFile || realpathSync.native(file) === file);
  } catch {
    // The link is broken for now, but its target may appear later.
    return false;
  }
}

/** Returns the sandbox that Codex would choose: a session may write to a folder that the user trusts. */
function defaultSandbox(cwd: string, { maxSandbox }: OperatorLimits, user: UserConfig): string {
  const isTrusted = user.trustedFolders.some((folder) => realPathOf(folder) === realPathOf(cwd));
  return isTrusted && maxSandbox !== 'read-only' ? 'workspace-write' : 'read-only';
}

const UNSAFE_FEATURES = {
  // Codex would run the start-up files of the user's shell without a sandbox.
  shell_snapshot: false,
  // With a goal, Codex would start turns itself as soon as a session is opened, before any check.
  goals: false,
  // Skills are in the working folder, and Codex offers to install the MCP servers that they name.
  skill_mcp_dependency_install: false,
};

/** The feature was renamed, so both names are set. */
const AGENTS = { collab: false, multi_agent: false };

/** See `isTempFolderOpen`. TMPDIR needs no setting here, because Codex does not get the variable. */
function closedTempFolders(options: LimitConfigOptions): JsonObject {
  return isTempFolderOpen('/tmp', options) ? {} : { sandbox_workspace_write: { exclude_slash_tmp: true } };
}

/**
 * Returns whether sessions may write to a temporary folder under limits. A folder that leads to protected files is
 * closed. So is one that contains, or is inside, an allowed folder: a session could replace the inner one by a link.
 */
export function isTempFolderOpen(
  folder: string,
  { operatorLimits, protectedFolders }: Pick<LimitConfigOptions, 'operatorLimits' | 'protectedFolders'>,
): boolean {
  const isShared = realPathOf(folder) !== realPathOf('/tmp') && overlaps(folder, '/tmp');
  if (isShared || findProtected(folder, resolveProtected(protectedFolders)) !== undefined) return false;
  const links = traceLinks(folder);
  return !operatorLimits.roots.some((root) => overlaps(folder, root) || links.some((link) => isInside(root, link)));
}

/**
 * Returns variables for Codex itself that keep its own git from finding a repository. Codex runs `git status` in the
 * working folder for each turn, outside of the sandbox, and git would run filters that a session wrote to
 * `.git/config`.
 */
export function withoutGitRepository(codexHome: string): Readonly<Record<string, string>> {
  // No session may write to CODEX_HOME, so none can create a repository there.
  return { [REPOSITORY_VARIABLE]: join(codexHome, 'no-repository') };
}

const REPOSITORY_VARIABLE = 'GIT_DIR';

/** Merges the lists of all configs, because Codex does not: it uses only the last list. */
function toExcluded(configs: readonly UserConfig[]): readonly string[] {
  return [...new Set([...configs.flatMap(({ excludedVariables }) => excludedVariables), REPOSITORY_VARIABLE])];
}

/** Codex searches for the bwrap of its sandbox in the PATH of the command. The last configured PATH wins. */
async function safeCommandPath(configs: readonly UserConfig[], options: LimitConfigOptions): Promise<JsonObject> {
  const path = configs.map(({ commandPath }) => commandPath).findLast(isSet);
  if (path === undefined) return {};
  const { platform, writable } = options;
  return { set: { PATH: safePath(path, { platform, findWritableFolder: await writable() }) } };
}

function isSet(value: unknown): boolean {
  return value !== undefined;
}
