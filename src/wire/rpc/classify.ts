import { AppError } from '../../base/errors.ts';
import type { JsonRpcMessage } from '../messages.ts';

export type MessageKind = 'request' | 'notification' | 'response' | 'invalid';

/** Returns the kind of a message, however malformed it is, so that no caller waits in vain for a response. */
export function classify(message: JsonRpcMessage, isPending: (id: unknown) => boolean): MessageKind {
  const { id, method } = message;
  const hasOutcome = 'result' in message || 'error' in message;
  if (typeof method === 'string') {
    // A response to a pending request counts as one, whatever else it contains. Members that are null do not count.
    if ((message.result ?? message.error ?? null) !== null && isPending(id)) return 'response';
    if (id === undefined || id === null) return 'notification';
    return typeof id === 'string' || typeof id === 'number' ? 'request' : 'invalid';
  }
  // Neither a result nor an error, but the id is pending: a broken response.
  return hasOutcome || isPending(id) ? 'response' : 'invalid';
}

export function toInvalidMessageError({ method }: JsonRpcMessage): AppError {
  if (typeof method === 'string') return new AppError('INVALID_REQUEST', 'An id must be a string or a number.');
  if (method !== undefined) return new AppError('METHOD_NOT_FOUND', 'Method not found');
  return new AppError('INVALID_REQUEST', 'A message must have a method, a result or an error.');
}
