import { AppError } from '../../base/errors.ts';
import type { JsonRpcMessage } from '../messages.ts';

export type MessageKind = 'request' | 'notification' | 'answer' | 'refused';

/** What a message is, however badly it is made: whoever waits for it must not wait in vain. */
export function classify(message: JsonRpcMessage, isPending: (id: unknown) => boolean): MessageKind {
  const { id, method } = message;
  const hasOutcome = 'result' in message || 'error' in message;
  if (typeof method === 'string') {
    // An answer to one of our requests is one, whatever else its sender put into it. Members that are null say nothing.
    if ((message.result ?? message.error ?? null) !== null && isPending(id)) return 'answer';
    if (id === undefined || id === null) return 'notification';
    return typeof id === 'string' || typeof id === 'number' ? 'request' : 'refused';
  }
  // Without a result, without an error, and yet somebody waits for this id: a broken answer.
  return hasOutcome || isPending(id) ? 'answer' : 'refused';
}

export function toInvalidMessageError({ method }: JsonRpcMessage): AppError {
  if (typeof method === 'string') return new AppError('INVALID_REQUEST', 'An id must be a string or a number.');
  if (method !== undefined) return new AppError('METHOD_NOT_FOUND', 'Method not found');
  return new AppError('INVALID_REQUEST', 'A message must have a method, a result or an error.');
}
