import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { AppError } from '../base/errors.ts';
import { SANDBOX_MODES, type SandboxMode } from './words.ts';

/** What the operator of the server allows; no caller gets more. */
export interface Ceilings {
  readonly maxSandbox: SandboxMode;
  /** Sessions without a sandbox, and settings that start programs. */
  readonly allowsDanger: boolean;
  /** Folders outside of which no session may work; none means anywhere. */
  readonly roots: readonly string[];
}

/** Whether the operator has set any limits of their own. */
export function isLimited({ maxSandbox, roots }: Ceilings): boolean {
  return maxSandbox !== 'danger-full-access' || roots.length > 0;
}

/**
 * For the sandbox that a turn really gets: Codex's configuration may know ways that we do not. What the operator set is
 * the limit, whoever asked for more. Without it, a sandbox that comes from the user's own configuration is the user's
 * business; one that the caller's configuration brought about is not.
 */
export function refuseOpened(ceilings: Ceilings, sandbox: string | undefined, isCallersConfig: boolean): void {
  if (isCallersConfig && sandbox !== undefined) refuseSandbox(ceilings, sandbox);
  const { maxSandbox } = ceilings;
  if (maxSandbox === 'danger-full-access' || (sandbox !== undefined && rankOf(sandbox) <= rankOf(maxSandbox))) return;
  const what = sandbox === undefined ? 'a sandbox that it does not name' : `the sandbox ${sandbox}`;
  const text = `Codex would run this session in ${what}, and the operator of this server allows at most ${maxSandbox} (--max-sandbox): say sandbox: "${maxSandbox}", or less.`;
  throw new AppError('DENIED', text, { data: { sandbox, maxSandbox } });
}

/** Throws DENIED for a sandbox that is wider than allowed, and says what the operator would have to do. */
export function refuseSandbox({ maxSandbox, allowsDanger }: Ceilings, sandbox: string): void {
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
export async function isAllowed({ roots }: Pick<Ceilings, 'roots'>, path: string): Promise<boolean> {
  if (roots.length === 0) return true;
  const real = await realpath(path).catch(() => resolve(path));
  const allowed = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  return allowed.some((root) => isInside(root, real));
}

/** Throws DENIED for a path that lies outside of all allowed folders. */
export async function refuseOutside(ceilings: Ceilings, path: string, what: string): Promise<void> {
  if (await isAllowed(ceilings, path)) return;
  const text = `${what} ${path} lies outside of the folders that the operator of this server allows (--allow-root): ${ceilings.roots.join(', ')}`;
  throw new AppError('DENIED', text, { data: { path } });
}

/** Both are real paths. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (!/^\.\.(?:[/\\]|$)/.test(way) && !isAbsolute(way));
}
