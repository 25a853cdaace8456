import { AppError, type ErrorCode, toAppError } from '../../../base/errors.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { loginCommand, testCommand } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { Origin, ServerEntry } from '../../../config/server-entry.ts';

/** A server, or a whole file of them, that could not be asked. */
export interface ServerFailure {
  readonly server: string | undefined;
  readonly error: AppError;
  /** Where its entry stands; undefined where the message says so already, or where it does not matter. */
  readonly origin?: Origin | undefined;
  /** The command that tells more, or that helps. */
  readonly next: string | undefined;
}

/** Runs what concerns one server, and says of what goes wrong which one it was and what to do next. */
export async function withFailureContext<Result>(entry: ServerEntry, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    const error = toAppError(thrown);
    throw SELF_EXPLANATORY.includes(error.code) ? error : toServerError(toServerFailure(entry, error));
  }
}

/** They say what was looked for and where. */
const SELF_EXPLANATORY: readonly ErrorCode[] = [
  'USAGE',
  'TOOL_NOT_FOUND',
  'TOOL_INVALID',
  'RESOURCE_NOT_FOUND',
  'CANCELLED',
];

export function toServerFailure(entry: ServerEntry, error: AppError): ServerFailure {
  // It runs, and does not have or do this one thing: neither its entry nor a test of it tells more.
  if (SERVER_IS_RUNNING.includes(error.code)) return { server: entry.id, error, next: undefined };
  const next = error.code === 'SIGN_IN_NEEDED' ? loginCommand(entry, error.message) : testCommand(entry);
  return { server: entry.id, error, origin: entry.origin, next };
}

const SERVER_IS_RUNNING: readonly ErrorCode[] = ['REQUEST_FAILED', 'METHOD_NOT_FOUND', 'PROMPT_NOT_FOUND'];

/** What a command ends with that one server made fail. `name`: what was asked of it, where that is more than itself. */
export function toServerError(failure: ServerFailure, name?: string): AppError {
  const { server, error, origin, next } = failure;
  const where = origin === undefined ? {} : { file: origin.file, line: origin.line };
  return new AppError(error.code, failureText(failure, name), {
    cause: error.cause,
    data: { ...error.data, server, ...where, next },
  });
}

/** Who failed, why, where its entry stands, and what to type: in one line. */
export function failureText({ server, error, origin, next }: ServerFailure, name = server): string {
  const head = name === undefined ? '' : `${quoteIfNeeded(name)}: `;
  const command = next === undefined ? '' : `Run: ${next}`;
  // Some messages end with the command already, and it must stay the last.
  const text = escapeInvisible(oneLine(error.message, MAX_MESSAGE)).replace(command, '').trim();
  const where = origin === undefined ? '' : formatLocation(origin.file, origin.line);
  const why = text.includes(where) ? text : `${text.replace(/\.$/, '')} (${where}).`;
  if (command === '') return `${head}${why}`;
  return `${head}${why}${/[.!?]$/.test(why) ? '' : '.'} ${command}`;
}

const MAX_MESSAGE = 2_000;
