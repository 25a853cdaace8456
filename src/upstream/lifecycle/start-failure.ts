import { AppError } from '../../base/errors.ts';
import { findErrorLine } from '../../base/process/error-line.ts';
import { oneLine } from '../../base/text/safe-text.ts';

/** Describes a failed start, with the stderr tail and any stray stdout output. */
export function describeStartFailure(
  error: AppError,
  stderrTail: readonly string[],
  strayOutput: string | undefined,
): AppError {
  const { code, message } = error;
  if (code !== 'TIMED_OUT' && code !== 'REQUEST_FAILED' && code !== 'BAD_ANSWER') return error;
  const what = code === 'REQUEST_FAILED' ? `it refused initialize: ${message}` : `it did not become ready: ${message}`;
  const lastLine = findErrorLine(stderrTail);
  const fullMessage = lastLine === undefined ? what : `${what} From its stderr: ${lastLine}`;
  const text = strayOutput === undefined ? fullMessage : `${what} ${strayOutput}`;
  return new AppError('START_FAILED', oneLine(text), {
    cause: error,
    data: { ...error.data, lastLine },
  });
}
