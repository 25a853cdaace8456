import { AppError } from '../errors.ts';
import type { Redactor } from './redact.ts';

/** Returns the error without the secrets in its message, data and causes; the same object when there are none. */
export function redactError(error: AppError, redactor: Redactor): AppError {
  const message = redactor.redact(error.message);
  const data = redactData(error.data, redactor);
  const cause = error.cause instanceof AppError ? redactError(error.cause, redactor) : error.cause;
  if (message === error.message && data === error.data && cause === error.cause) return error;
  return new AppError(error.code, message, {
    ...(data === undefined ? {} : { data }),
    ...(cause === undefined ? {} : { cause }),
  });
}

function redactData(data: AppError['data'], { redactValues }: Redactor): AppError['data'] {
  if (data === undefined) return undefined;
  try {
    const text = JSON.stringify(data);
    const masked = redactValues(text);
    return masked === text ? data : JSON.parse(masked);
  } catch {
    // Too deeply nested to be serialized, or no longer JSON after masking: the data is dropped.
    return undefined;
  }
}
