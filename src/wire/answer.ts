import { AppError } from '../base/errors.ts';
import { type Incoming, isObject, toJson } from './messages.ts';

/** Lenient about `"error": null` beside a result, strict about everything that could hide a failure. */
export function readAnswer(message: Incoming, method: string): { error: AppError } | { result: unknown } {
  const bad = (what: string) => ({ error: new AppError('BAD_ANSWER', `${method}: the server sent ${what}.`) });
  const { result, error } = message;
  const hasResult = result !== undefined && (result !== null || error === undefined || error === null);
  const hasError = error !== undefined && error !== null;
  if (hasResult && hasError) return bad('both a result and an error');
  if (hasResult) return { result };
  if (!hasError) return bad('neither a result nor an error');
  if (!isObject(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string') {
    return bad(`a malformed error: ${(toJson(error) ?? 'too deep to show').slice(0, 200)}`);
  }
  const data = { method, rpcCode: error['code'], rpcData: error['data'] };
  return { error: new AppError('REQUEST_FAILED', error['message'], { data }) };
}

/** Notifications that a server may still answer, though it should not: some do, with "method not found" and no id. */
export interface Notified {
  add(lastRequestId: number): void;
  requestAnswered(id: number): void;
  isAnsweredBy(message: Incoming): boolean;
}

export function createNotified(): Notified {
  let count = 0;
  let requestBefore = 0;
  return {
    add(lastRequestId) {
      count = Math.min(count + 1, MAX_NOTIFIED);
      requestBefore = lastRequestId;
    },
    requestAnswered(id) {
      // Whoever answers a later request has had its say about the notifications before it.
      if (id > requestBefore) count = 0;
    },
    isAnsweredBy({ error }) {
      const isTheirs = count > 0 && isObject(error) && error['code'] === METHOD_NOT_FOUND;
      if (isTheirs) count--;
      return isTheirs;
    },
  };
}

const METHOD_NOT_FOUND = -32601;
const MAX_NOTIFIED = 100;
