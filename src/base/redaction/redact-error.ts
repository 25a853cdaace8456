import { AppError } from '../errors.ts';
import type { Redactor } from './redact.ts';

/** The same error without the secrets in its message, its data and its causes; itself when there are none. */
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
    // Nested too deep to be looked through, or no JSON without its secret: then nobody sees it.
    return undefined;
  }
}
