import { AppError } from '../../base/errors.ts';
import type { UpstreamCall } from './call.ts';

type LostCall = Pick<UpstreamCall, 'method' | 'isIdempotent'>;

/**
 * Returns the error of a call that the server received and will not answer, because of `reason`. Only a tool call has an
 * outcome that matters: all other requests read, and fail with the reason itself.
 */
export function toLostCallError(call: LostCall, reason: AppError): AppError {
  if (call.method !== 'tools/call') return reason;
  const { code, message, data, cause } = reason;
  return new AppError('OUTCOME_UNKNOWN', withAdvice(message, call), {
    cause,
    data: { ...data, reason: code, retryable: call.isIdempotent },
  });
}

/**
 * Returns the error of a call that timed out after the server received it. The server may still be working on it, so a
 * tool call is retryable only if it may run twice.
 */
export function toTimedOutError(call: LostCall, message: string): AppError {
  if (call.method !== 'tools/call') return new AppError('TIMED_OUT', message);
  return new AppError('TIMED_OUT', withAdvice(message, call), { data: { retryable: call.isIdempotent } });
}

function withAdvice(message: string, { isIdempotent }: LostCall): string {
  const end = /[.!?]$/.test(message) ? '' : '.';
  return `${message}${end} ${isIdempotent ? SAFE_TO_REPEAT : CHECK_FIRST}`;
}

export const CHECK_FIRST = 'The server may have done this; check before repeating.';
const SAFE_TO_REPEAT = 'The server may have done this; its tool is declared safe to repeat.';
