import { AppError, isAppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';

/** What ended a sign-in, told of the server that it was about: an authorization server knows only itself. */
export function withServerContext(error: unknown, { id, origin }: ServerEntry): unknown {
  if (!isAppError(error) || error.data?.['server'] !== undefined) return error;
  const { file, line } = origin;
  const { cause, data } = error;
  // Nothing was ever open that could have been closed.
  const code = error.code === 'CONNECTION_CLOSED' ? 'UNREACHABLE' : error.code;
  const message = `${quoteIfNeeded(id)} (${formatLocation(file, line)}): ${error.message}`;
  return new AppError(code, message, { cause, data: { ...data, server: id, file, line } });
}
