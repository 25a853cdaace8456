import { AppError } from '../base/errors.ts';
import { tellingLine } from '../base/process/telling-line.ts';
import { oneLine } from '../base/text.ts';

/** What its process told is enough; that it never became ready is told with its last words. */
export function describeStartFailure(error: AppError, lastWords: readonly string[]): AppError {
  const { code, message } = error;
  if (code !== 'TIMED_OUT' && code !== 'REQUEST_FAILED' && code !== 'BAD_ANSWER') return error;
  const what = code === 'REQUEST_FAILED' ? `it refused initialize: ${message}` : `it did not become ready: ${message}`;
  const lastLine = tellingLine(lastWords);
  return new AppError('START_FAILED', oneLine(lastLine === undefined ? what : `${what} Its last words: ${lastLine}`), {
    cause: error,
    data: { ...error.data, lastLine },
  });
}
