import { AppError } from '../../base/errors.ts';
import type { ServerContext } from '../server-context.ts';
import { describeAllowedFolders, isPathAllowed } from './operator-limits.ts';

/**
 * Sessions of other folders are none of a caller's business when the operator has named the folders: neither to be read
 * nor to be continued. Throws DENIED for one of them, SESSION_NOT_FOUND for one that does not exist.
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
