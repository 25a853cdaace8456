import { AppError } from '../../base/errors.ts';
import { assertSessionAllowed } from '../limits/session-access.ts';
import type { ServerContext } from '../server-context.ts';
import { inspectStoredSession } from '../storage/inspect-session.ts';
import { finalMessage } from './status-view.ts';
import { storedFinalMessage } from './stored-view.ts';

/** Returns the complete final message of the latest turn. Throws REQUEST_FAILED if that turn has none. */
export async function readFinalMessage(serverContext: ServerContext, sessionId: string): Promise<string> {
  await assertSessionAllowed(serverContext, sessionId);
  const session = serverContext.sessions.registry.find(sessionId);
  const isKnown = session?.turn !== undefined;
  const answer = isKnown ? finalMessage(session) : storedFinalMessage(await lastTurn(serverContext, sessionId));
  if (answer !== undefined) return answer;
  throw new AppError('REQUEST_FAILED', `The latest turn of session ${sessionId} has no final message.`);
}

async function lastTurn(serverContext: ServerContext, sessionId: string) {
  return (await inspectStoredSession(serverContext, { sessionId, limit: 1 })).turns.at(-1);
}
