import { AppError, isAppError } from '../base/errors.ts';
import { escapeInvisible } from '../base/text/visible-text.ts';
import type { ConfigProblem } from './server-entry.ts';

/** Converts a problem to an error; `toProblem` reverses this. */
export function toConfigError(problem: ConfigProblem, cause?: unknown): AppError {
  return new AppError('CONFIG_INVALID', formatProblem(problem), { cause, data: { ...problem } });
}

/** Returns the problem that a decoder reported. Rethrows any other error, which is a bug. */
export function toProblem(error: unknown): ConfigProblem {
  const problem = problemOf(error);
  if (problem === undefined) throw error;
  return problem;
}

/** Returns the problem that an error was made from, or undefined for any other error. */
export function problemOf(error: unknown): ConfigProblem | undefined {
  const data = isAppError(error) ? error.data : undefined;
  const { file, line, message } = data ?? {};
  if (typeof file !== 'string' || typeof line !== 'number' || typeof message !== 'string') return undefined;
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
