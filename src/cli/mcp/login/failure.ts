import { AppError, isAppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';

/** Adds the server to the error of a sign-in, because the authorization server's error does not name it. */
export function withServerContext(error: unknown, { id, origin }: ServerEntry): unknown {
  if (!isAppError(error) || error.data?.['server'] !== undefined) return error;
  const { file, line } = origin;
  const { cause, data } = error;
  // No connection was open that could have been closed.
  const code = error.code === 'CONNECTION_CLOSED' ? 'UNREACHABLE' : error.code;
  const message = `${quoteIfNeeded(id)} (${formatLocation(file, line)}): ${error.message}`;
  return new AppError(code, message, { cause, data: { ...data, server: id, file, line } });
}
