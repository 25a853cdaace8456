import { AppError, isAppError } from '../base/errors.ts';
import { escapeInvisible } from '../base/text/visible-text.ts';
import type { ConfigProblem } from './server-entry.ts';

/** Converts a problem to an error; `toProblem` reverses this. */
export function toConfigError(problem: ConfigProblem, cause?: unknown): AppError {
  return new AppError('CONFIG_INVALID', formatProblem(problem), { cause, data: { ...problem } });
}

/** Returns the problem that a decoder reported. Rethrows any other error, which is a bug. */
export function toProblem(error: unknown): ConfigProblem {
  if (!isAppError(error)) throw error;
  const { file, line, message } = error.data ?? {};
  if (typeof file !== 'string' || typeof line !== 'number' || typeof message !== 'string') throw error;
  return { file, line, message };
}

/** Formats a problem with its location, for output that shows nothing else. */
export function formatProblem({ file, line, message }: ConfigProblem): string {
  return `${formatLocation(file, line)}: ${message}`;
}

/** Returns `file:line`, or only the file if there is no line. */
export function formatLocation(file: string, line: number): string {
  return line === 0 ? escapeInvisible(file) : `${escapeInvisible(file)}:${line}`;
}
