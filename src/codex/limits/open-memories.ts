import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { TurnPermissions } from '../engine.ts';
import { type CodexVersion, isAtLeast } from '../locate/codex-version.ts';
import { realPathOf } from '../real-folder.ts';
import type { ServerContext } from '../server-context.ts';
import { enforcesLimits } from './operator-limits.ts';

/**
 * Returns the folders that the session may write to, without `CODEX_HOME/memories` if this version of Codex adds it to
 * every session. Throws DENIED under limits if it is one of them: Codex itself writes there without a sandbox, and would
 * follow a link that a session planted.
 */
export function withoutMemories(
  { writableRoots, sandbox, opensMemories = false }: TurnPermissions,
  { operatorLimits, codexHome }: Pick<ServerContext, 'operatorLimits' | 'codexHome'>,
): readonly string[] {
  const memories = join(codexHome, 'memories');
  const others = writableRoots.filter((folder) => realPathOf(folder) !== realPathOf(memories));
  const isOpen = sandbox !== 'read-only' && others.length < writableRoots.length;
  if (isOpen && enforcesLimits(operatorLimits)) throw denied(memories);
  return opensMemories ? others : writableRoots;
}

/** Throws DENIED in the same case for `codex exec`, which does not report its permissions. */
export function refuseMemoriesByVersion(
  version: CodexVersion | undefined,
  { codexHome, sandbox }: { readonly codexHome: string; readonly sandbox: unknown },
): void {
  if (sandbox !== 'read-only' && (version === undefined || opensMemories(version)))
    throw denied(join(codexHome, 'memories'));
}

/**
 * Returns whether Codex lets every session write to its memories. 0.118 and 0.128 do; 0.92 and 0.138 do not. Untested
 * versions between them count as open.
 */
export function opensMemories(version: CodexVersion): boolean {
  return isAtLeast(version, 93) && !isAtLeast(version, 138);
}

function denied(memories: string): AppError {
  const text = `The session was refused: this version of Codex may let sessions write to ${memories}, which the limits of this server forbid. Update Codex (npm install -g @openai/codex@latest), or choose the sandbox read-only.`;
  return new AppError('DENIED', text, { data: { path: memories } });
}
