import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import type { LimitConfig } from '../engine.ts';
import { realPathOf } from '../real-folder.ts';
import { readUserConfig, toUserConfig, type UserConfig } from '../settings/user-config.ts';
import { findProtected } from './find-protected.ts';
import { ancestorFolders, overlaps } from './folder-rules.ts';
import { enforcesLimits, isInside, type OperatorLimits } from './operator-limits.ts';
import { letsSessionsPlantRules, refusePlantedRules } from './planted-rules.ts';
import type { ProtectedFolder } from './protected-folders.ts';
import { safePath } from './safe-path.ts';
import { traceLinks } from './trace-links.ts';
import type { FindWritableFolder } from './writable-folders.ts';

type Members = Readonly<Record<string, unknown>>;

export interface LimitConfigOptions {
  readonly operatorLimits: OperatorLimits;
  readonly codexHome: string;
  /** The home folder of the user. */
  readonly home: string;
  readonly protectedFolders: readonly ProtectedFolder[];
  readonly platform: NodeJS.Platform;
  readonly writable: () => Promise<FindWritableFolder>;
}

/** The configuration by which Codex keeps the operator's limits; undefined where there are none to keep. */
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
      features: { ...UNSAFE_FEATURES, ...(letsSessionsPlantRules(version) ? AGENTS : {}) },
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
      // What Codex chooses in a folder that it does not know; in one that is marked as untrusted it is something else.
      ...(readsPolicyFromConfig && !hasPolicy ? { approval_policy: 'on-request' } : {}),
      ...(readsPolicyFromConfig && !hasSandbox && !isConfigured
        ? { sandbox_mode: defaultSandbox(cwd, operatorLimits, user) }
        : {}),
    };
  };
}

/**
 * The folders whose own configuration must not count, because a session may have written it: all from the working folder
 * up to the allowed one. The allowed folder itself counts when the user's config trusts it and no session could write
 * its `.codex`: Codex protects that in the folder that it works in, and in no folder below.
 */
function untrustedFolders(
  cwd: string,
  { root, isTrusted }: { readonly root: string; readonly isTrusted: boolean },
): readonly string[] {
  // Codex goes up the path that it was given as well, which may lead through other folders than the real one.
  const within = ancestorFolders(cwd, parse(cwd).root).filter((folder) => isInside(root, realPathOf(folder)));
  return [...new Set([...ancestorFolders(realPathOf(cwd), root), ...within])].filter(
    (folder) => !isTrusted || realPathOf(folder) !== root,
  );
}

/** The outermost allowed folder that contains the working folder. */
function allowedRoot(cwd: string, { roots }: OperatorLimits): string {
  const real = realPathOf(cwd);
  const [root = dirname(real)] = roots
    .filter((allowed) => isInside(allowed, real))
    .toSorted((a, b) => a.length - b.length);
  return root;
}

/** No link leads from the project's configuration to where a session may write. */
function hasNoLinks(root: string): boolean {
  const folder = join(root, '.codex');
  const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (!isThere) return true;
  try {
    const file = join(folder, 'config.toml');
    const isFile = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    return realpathSync.native(folder) === folder && (!isFile || realpathSync.native(file) === file);
  } catch {
    // It leads nowhere, for now.
    return false;
  }
}

/** As Codex chooses: a folder that the user trusts may be written to. */
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

/** See `isTemporaryOpen`; TMPDIR is closed by not passing it on. */
function closedTempFolders(options: LimitConfigOptions): Members {
  return isTempFolderOpen('/tmp', options) ? {} : { sandbox_workspace_write: { exclude_slash_tmp: true } };
}

/**
 * Whether sessions may write to a temporary folder under limits. One that leads to protected files is closed. So is one
 * that holds, or lies in, a folder of sessions: they could replace the one in the other by a link.
 */
export function isTempFolderOpen(
  folder: string,
  { operatorLimits, protectedFolders }: Pick<LimitConfigOptions, 'operatorLimits' | 'protectedFolders'>,
): boolean {
  const isShared = realPathOf(folder) !== realPathOf('/tmp') && overlaps(folder, '/tmp');
  if (isShared || findProtected(folder, protectedFolders) !== undefined) return false;
  const links = traceLinks(folder);
  return !operatorLimits.roots.some((root) => overlaps(folder, root) || links.some((link) => isInside(root, link)));
}

/**
 * Variables for Codex itself that keep its own git from finding a repository. Codex runs `git status` in the working
 * folder for each turn, outside of the sandbox, and git would run filters that a session wrote into a `.git/config`.
 */
export function withoutGitRepository(codexHome: string): Readonly<Record<string, string>> {
  // No session may write there, so none can turn it into a repository.
  return { [REPOSITORY_VARIABLE]: join(codexHome, 'no-repository') };
}

const REPOSITORY_VARIABLE = 'GIT_DIR';

/** Codex does not merge lists of its configuration: the last one counts. */
function toExcluded(configs: readonly UserConfig[]): readonly string[] {
  return [...new Set([...configs.flatMap(({ excludedVariables }) => excludedVariables), REPOSITORY_VARIABLE])];
}

/** Codex looks for the bwrap of its sandbox in the PATH of the command, the last one that is configured. */
async function safeCommandPath(configs: readonly UserConfig[], options: LimitConfigOptions): Promise<Members> {
  const path = configs.map(({ commandPath }) => commandPath).findLast(isSet);
  if (path === undefined) return {};
  const { platform, writable } = options;
  return { set: { PATH: safePath(path, { platform, findWritableFolder: await writable() }) } };
}

function isSet(value: unknown): boolean {
  return value !== undefined;
}
