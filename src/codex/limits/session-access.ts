import { AppError } from '../../base/errors.ts';
import type { ServerContext } from '../server-context.ts';
import { describeAllowedFolders, isPathAllowed } from './operator-limits.ts';

/**
 * Throws DENIED for a session outside of the folders that the operator has named: a caller may neither read nor
 * continue it. Throws SESSION_NOT_FOUND for a session that does not exist, or belongs to somebody else. Call it before
 * anything that could reveal the difference.
 */
export async function assertSessionAllowed(
  { operatorLimits, ownership, sessions }: ServerContext,
  sessionId: string,
): Promise<void> {
  if (sessions.registry.find(sessionId) !== undefined) return;
  ownership?.assertOwn(sessionId);
  if (operatorLimits.roots.length === 0) return;
  const { directory } = await sessions.engine.read({ sessionId, limit: 1 });
  if (directory !== undefined && isPathAllowed(operatorLimits, directory)) return;
  const text = `Session ${sessionId} works outside of ${describeAllowedFolders(operatorLimits)}`;
  throw new AppError('DENIED', text, { data: { sessionId } });
}
