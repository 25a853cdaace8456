import { AppError } from '../../base/errors.ts';
import { refuseForeign } from '../limits/session-access.ts';
import type { Workplace } from '../server-context.ts';
import { readStored } from '../storage/inspect-session.ts';
import { finalMessage } from './status-view.ts';
import { storedAnswer } from './stored-view.ts';

/** The final message of the latest turn, whole. Throws REQUEST_FAILED when that turn has none. */
export async function readAnswer(workplace: Workplace, sessionId: string): Promise<string> {
  await refuseForeign(workplace, sessionId);
  const session = workplace.sessions.roster.find(sessionId);
  const isKnown = session?.turn !== undefined;
  const answer = isKnown ? finalMessage(session) : storedAnswer(await lastTurn(workplace, sessionId));
  if (answer !== undefined) return answer;
  throw new AppError('REQUEST_FAILED', `The latest turn of session ${sessionId} has no final message.`);
}

async function lastTurn(workplace: Workplace, sessionId: string) {
  return (await readStored(workplace, { sessionId, limit: 1 })).turns.at(-1);
}
