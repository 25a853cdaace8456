import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { OpenedSession } from './engine.ts';
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
 * For the sandbox that Codex really gave: its configuration may know ways that we do not. What the operator set is the
 * limit, whoever asked for more. Without it, a sandbox that comes from the user's own configuration is the user's
 * business; one that the caller's configuration brought about is not.
 */
export function refuseOpened(ceilings: Ceilings, { sandbox }: OpenedSession, isCallersConfig: boolean): void {
  const hasCeiling = ceilings.maxSandbox !== 'danger-full-access';
  if (isCallersConfig && sandbox !== undefined) refuseSandbox(ceilings, sandbox);
  if (hasCeiling && sandbox !== undefined) refuseSandbox({ ...ceilings, allowsDanger: true }, sandbox);
  if (!hasCeiling || sandbox !== undefined) return;
  const text = `This Codex does not tell which sandbox it uses, and the operator of this server allows at most ${ceilings.maxSandbox} (--max-sandbox): name one as sandbox.`;
  throw new AppError('DENIED', text);
}

/** Throws DENIED for a sandbox that is wider than allowed, and says what the operator would have to do. */
export function refuseSandbox({ maxSandbox, allowsDanger }: Ceilings, sandbox: string): void {
  const rank = [...SANDBOX_MODES].map(String).indexOf(sandbox);
  const isDangerous = rank === -1 || sandbox === 'danger-full-access';
  if (isDangerous && !allowsDanger) {
    const text = `The sandbox ${sandbox} is not allowed here. The operator of this server must allow it: switchboard codex --allow-dangerous (or SWITCHBOARD_ALLOW_DANGEROUS=1).`;
    throw new AppError('DENIED', text, { data: { sandbox } });
  }
  if (rank <= SANDBOX_MODES.indexOf(maxSandbox)) return;
  const text = `The sandbox ${sandbox} is not allowed here: the operator of this server allows at most ${maxSandbox} (--max-sandbox).`;
  throw new AppError('DENIED', text, { data: { sandbox, maxSandbox } });
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

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (!/^\.\.(?:[/\\]|$)/.test(way) && !isAbsolute(way));
}
