import { AppError } from '../../base/errors.ts';
import type { QueuedMessage, Session } from './session.ts';
import type { SayResult } from './turn-caller.ts';

const MAX_QUEUED = 20;

/** Queues a message as the next turn of a busy session. */
export function queueMessage(session: Session, message: QueuedMessage): SayResult {
  if (session.queue.length >= MAX_QUEUED)
    throw new AppError(
      'BUSY',
      `${MAX_QUEUED} messages are already queued for session ${session.id}. Wait, or interrupt it.`,
    );
  session.queue.push(message);
  session.hadQueuedMessage = true;
  session.notifyChanged();
  const cancelQueued = () => {
    const index = session.queue.indexOf(message);
    if (index !== -1) session.queue.splice(index, 1);
    session.notifyChanged();
  };
  return { session, delivery: 'queued', cancelQueued };
}

/** Drops the queued messages after Codex has ended. */
export function dropQueue(session: Session): void {
  if (session.queue.length > 0) session.warn(`Codex ended; ${session.queue.length} queued message(s) were dropped.`);
  session.queue.length = 0;
}
