import { AppError } from '../../base/errors.ts';
import type { ServerContext } from '../server-context.ts';
import { describeAllowedFolders, isPathAllowed } from './operator-limits.ts';

/**
 * Throws DENIED for a session outside of the folders that the operator has named: a caller may neither read nor
 * continue it. Throws SESSION_NOT_FOUND for a session that does not exist.
 */
export async function assertSessionAllowed(
  { operatorLimits, sessions }: ServerContext,
  sessionId: string,
): Promise<void> {
  if (operatorLimits.roots.length === 0 || sessions.registry.find(sessionId) !== undefined) return;
  const { directory } = await sessions.engine.read({ sessionId, limit: 1 });
  if (directory !== undefined && isPathAllowed(operatorLimits, directory)) return;
  const text = `Session ${sessionId} works outside of ${describeAllowedFolders(operatorLimits)}`;
  throw new AppError('DENIED', text, { data: { sessionId } });
}
