import { AppError } from '../../base/errors.ts';
import type { Workplace } from '../server-context.ts';
import { allowedFolders, isAllowed } from './operator-limits.ts';

/**
 * Sessions of other folders are none of a caller's business when the operator has named the folders: neither to be read
 * nor to be continued. Throws DENIED for one of them, SESSION_NOT_FOUND for one that does not exist.
 */
export async function refuseForeign({ ceilings, sessions }: Workplace, sessionId: string): Promise<void> {
  if (ceilings.roots.length === 0 || sessions.roster.find(sessionId) !== undefined) return;
  const { directory } = await sessions.engine.read({ sessionId, limit: 1 });
  if (directory !== undefined && isAllowed(ceilings, directory)) return;
  const text = `Session ${sessionId} works outside of ${allowedFolders(ceilings)}`;
  throw new AppError('DENIED', text, { data: { sessionId } });
}
