import { AppError, isAppError } from '../base/errors.ts';
import { escapeInvisible } from '../base/text/visible-text.ts';
import type { ConfigProblem } from './server-entry.ts';

/** A problem as an error; `toProblem` gives it back. */
export function toConfigError(problem: ConfigProblem, cause?: unknown): AppError {
  return new AppError('CONFIG_INVALID', formatProblem(problem), { cause, data: { ...problem } });
}

/** What a decoder complained about. Anything else that was thrown is a bug, and goes on. */
export function toProblem(error: unknown): ConfigProblem {
  if (!isAppError(error)) throw error;
  const { file, line, message } = error.data ?? {};
  if (typeof file !== 'string' || typeof line !== 'number' || typeof message !== 'string') throw error;
  return { file, line, message };
}

/** With its place in front, for whoever shows nothing else. */
export function formatProblem({ file, line, message }: ConfigProblem): string {
  return `${formatLocation(file, line)}: ${message}`;
}

/** `file:line`, or the file alone where there is no line. */
export function formatLocation(file: string, line: number): string {
  return line === 0 ? escapeInvisible(file) : `${escapeInvisible(file)}:${line}`;
}
