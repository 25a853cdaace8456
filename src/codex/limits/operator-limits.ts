import { isAbsolute, relative } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { SANDBOX_MODES, type SandboxMode } from '../item-types.ts';
import { realPathOf } from '../real-folder.ts';

/** The maximum that the operator of the server allows to any caller. */
export interface OperatorLimits {
  readonly maxSandbox: SandboxMode;
  /** Allows sessions without a sandbox, and settings that start programs. */
  readonly allowsDanger: boolean;
  /**
   * Folders outside of which no session may work. An empty list allows any folder. The paths are real paths, resolved
   * when the server starts: a session that replaces one of them by a link must not move the limit with it.
   */
  readonly roots: readonly string[];
  /** True if the operator allows no approvals, or only approvals by a person. */
  readonly restrictsApprovals?: boolean;
  /** True if the operator has set limits without naming a folder. `roots` is then the working folder of the server. */
  readonly isConfined?: boolean;
}

/** Returns whether the operator has set any limits. */
export function hasLimits({ maxSandbox, roots, restrictsApprovals = false }: OperatorLimits): boolean {
  return maxSandbox !== 'danger-full-access' || roots.length > 0 || restrictsApprovals;
}

/** Returns whether sessions are kept within those limits. `allowsDanger` waives all but the allowed folders. */
export function enforcesLimits(operatorLimits: OperatorLimits): boolean {
  return hasLimits(operatorLimits) && !operatorLimits.allowsDanger;
}

/** Limits sessions to the working folder of the server if the operator has set limits without naming a folder. */
export function withDefaultRoot(operatorLimits: OperatorLimits, folder: string): OperatorLimits {
  if (operatorLimits.roots.length > 0 || !enforcesLimits(operatorLimits)) return operatorLimits;
  return { ...operatorLimits, roots: [realPathOf(folder)], isConfined: true };
}

/**
 * Checks the sandbox that a turn really gets, because Codex's configuration may have settings that this server does not
 * recognize. The operator's limit always applies. Without one, a sandbox that the user's own configuration sets is
 * allowed, and a sandbox that the caller's configuration sets is checked like an argument.
 */
export function assertEffectiveSandboxAllowed(
  operatorLimits: OperatorLimits,
  sandbox: string | undefined,
  isCallersConfig: boolean,
): void {
  if (isCallersConfig && sandbox !== undefined) assertSandboxAllowed(operatorLimits, sandbox);
  const { maxSandbox } = operatorLimits;
  if (maxSandbox === 'danger-full-access' || (sandbox !== undefined && rankOf(sandbox) <= rankOf(maxSandbox))) return;
  const what = sandbox === undefined ? 'an unnamed sandbox' : `the sandbox ${sandbox}`;
  const text = `Codex would run this session in ${what}, but the operator of this server allows at most ${maxSandbox} (--max-sandbox): set sandbox: "${maxSandbox}", or a stricter one.`;
  throw new AppError('DENIED', text, { data: { sandbox, maxSandbox } });
}

/** Throws DENIED for a sandbox that is wider than allowed. The message says how the operator can allow it. */
export function assertSandboxAllowed({ maxSandbox, allowsDanger }: OperatorLimits, sandbox: string): void {
  const isDangerous = rankOf(sandbox) >= rankOf('danger-full-access');
  if (isDangerous && !allowsDanger) {
    const text = `The sandbox ${sandbox} is not allowed here. The operator of this server must allow it: switchboard codex --allow-dangerous (or SWITCHBOARD_ALLOW_DANGEROUS=1).`;
    throw new AppError('DENIED', text, { data: { sandbox } });
  }
  if (rankOf(sandbox) <= rankOf(maxSandbox)) return;
  const text = `The sandbox ${sandbox} is not allowed here: the operator of this server allows at most ${maxSandbox} (--max-sandbox).`;
  throw new AppError('DENIED', text, { data: { sandbox, maxSandbox } });
}

/** Ranks an unknown sandbox as the widest. */
function rankOf(sandbox: string): number {
  const rank = [...SANDBOX_MODES].map(String).indexOf(sandbox);
  return rank === -1 ? SANDBOX_MODES.length : rank;
}

/** Returns whether a path, with all links resolved, is in an allowed folder. The path need not exist. */
export function isPathAllowed({ roots }: Pick<OperatorLimits, 'roots'>, path: string): boolean {
  if (roots.length === 0) return true;
  return path !== '' && roots.some((root) => isInside(root, realPathOf(path)));
}

/** Throws DENIED for a path outside of all allowed folders. */
export function assertPathAllowed(operatorLimits: OperatorLimits, path: string, what: string): void {
  if (isPathAllowed(operatorLimits, path)) return;
  throw new AppError('DENIED', `${what} ${path} is outside of ${describeAllowedFolders(operatorLimits)}`, {
    data: { path },
  });
}

/** Describes the allowed folders for messages. */
export function describeAllowedFolders({ roots, isConfined = false }: OperatorLimits): string {
  const list = roots.join(', ');
  return isConfined
    ? `the folder of this server, ${list}. Its operator has set limits, and must name other folders: switchboard codex --allow-root <dir>`
    : `the folders that the operator of this server allows (--allow-root): ${list}`;
}

/** Expects real paths. */
export function isInside(root: string, path: string): boolean {
  const relativePath = relative(root, path);
  return relativePath === '' || (!/^\.\.(?:[/\\]|$)/.test(relativePath) && !isAbsolute(relativePath));
}
