import { AppError } from '../../base/errors.ts';
import { isObject, type JsonRpcMessage, toJson } from '../messages.ts';

/** Accepts `"error": null` next to a result, but rejects everything that could hide a failure. */
export function readResponse(message: JsonRpcMessage, method: string): { error: AppError } | { result: unknown } {
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
