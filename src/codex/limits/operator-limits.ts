import { isAbsolute, relative } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { SANDBOX_MODES, type SandboxMode } from '../item-types.ts';
import { realPathOf } from '../real-folder.ts';

/** What the operator of the server allows; no caller gets more. */
export interface OperatorLimits {
  readonly maxSandbox: SandboxMode;
  /** Sessions without a sandbox, and settings that start programs. */
  readonly allowsDanger: boolean;
  /**
   * Folders outside of which no session may work; none means anywhere. Real paths, resolved when the server starts: a
   * session that replaces one of them by a link must not move the limit with it.
   */
  readonly roots: readonly string[];
  /** The operator lets nobody approve, or only a person. */
  readonly restrictsApprovals?: boolean;
  /** The operator has set limits and named no folder: `roots` is the folder of the server. */
  readonly isConfined?: boolean;
}

/** Whether the operator has set any limits of their own. */
export function hasLimits({ maxSandbox, roots, restrictsApprovals = false }: OperatorLimits): boolean {
  return maxSandbox !== 'danger-full-access' || roots.length > 0 || restrictsApprovals;
}

/** Whether sessions are kept within those limits: an operator who allows danger has given that up, folders excepted. */
export function enforcesLimits(operatorLimits: OperatorLimits): boolean {
  return hasLimits(operatorLimits) && !operatorLimits.allowsDanger;
}

/** Limits without a folder are limits to the folder of the server. */
export function withDefaultRoot(operatorLimits: OperatorLimits, folder: string): OperatorLimits {
  if (operatorLimits.roots.length > 0 || !enforcesLimits(operatorLimits)) return operatorLimits;
  return { ...operatorLimits, roots: [realPathOf(folder)], isConfined: true };
}

/**
 * For the sandbox that a turn really gets: Codex's configuration may know ways that we do not. What the operator set is
 * the limit, whoever asked for more. Without it, a sandbox that comes from the user's own configuration is the user's
 * business; one that the caller's configuration brought about is not.
 */
export function assertEffectiveSandboxAllowed(
  operatorLimits: OperatorLimits,
  sandbox: string | undefined,
  isCallersConfig: boolean,
): void {
  if (isCallersConfig && sandbox !== undefined) assertSandboxAllowed(operatorLimits, sandbox);
  const { maxSandbox } = operatorLimits;
  if (maxSandbox === 'danger-full-access' || (sandbox !== undefined && rankOf(sandbox) <= rankOf(maxSandbox))) return;
  const what = sandbox === undefined ? 'a sandbox that it does not name' : `the sandbox ${sandbox}`;
  const text = `Codex would run this session in ${what}, and the operator of this server allows at most ${maxSandbox} (--max-sandbox): say sandbox: "${maxSandbox}", or less.`;
  throw new AppError('DENIED', text, { data: { sandbox, maxSandbox } });
}

/** Throws DENIED for a sandbox that is wider than allowed, and says what the operator would have to do. */
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

/** One that is not known is the widest. */
function rankOf(sandbox: string): number {
  const rank = [...SANDBOX_MODES].map(String).indexOf(sandbox);
  return rank === -1 ? SANDBOX_MODES.length : rank;
}

/** Whether a path lies where sessions may work, whatever links lead to it. What does not exist is where it would be. */
export function isPathAllowed({ roots }: Pick<OperatorLimits, 'roots'>, path: string): boolean {
  if (roots.length === 0) return true;
  return path !== '' && roots.some((root) => isInside(root, realPathOf(path)));
}

/** Throws DENIED for a path that lies outside of all allowed folders. */
export function assertPathAllowed(operatorLimits: OperatorLimits, path: string, what: string): void {
  if (isPathAllowed(operatorLimits, path)) return;
  throw new AppError('DENIED', `${what} ${path} lies outside of ${describeAllowedFolders(operatorLimits)}`, {
    data: { path },
  });
}

/** The folders in words, for messages. */
export function describeAllowedFolders({ roots, isConfined = false }: OperatorLimits): string {
  const list = roots.join(', ');
  return isConfined
    ? `the folder of this server, ${list}. Its operator has set limits, and must name other folders: switchboard codex --allow-root <dir>`
    : `the folders that the operator of this server allows (--allow-root): ${list}`;
}

/** Both are real paths. */
export function isInside(root: string, path: string): boolean {
  const relativePath = relative(root, path);
  return relativePath === '' || (!/^\.\.(?:[/\\]|$)/.test(relativePath) && !isAbsolute(relativePath));
}
