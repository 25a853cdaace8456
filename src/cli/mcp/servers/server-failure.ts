import { AppError, type ErrorCode } from '../../../base/errors.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { loginCommand, testCommand } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { Origin, ServerEntry } from '../../../config/server-entry.ts';

/** A server, or a whole file of servers, that could not be queried. */
export interface ServerFailure {
  readonly server: string | undefined;
  readonly error: AppError;
  /** Location of the entry; undefined when the message already names it, or when it does not matter. */
  readonly origin?: Origin | undefined;
  /** The command that explains or fixes the failure. */
  readonly next: string | undefined;
}

export function toServerFailure(entry: ServerEntry, error: AppError): ServerFailure {
  // The server runs but lacks this one item or method: neither its entry nor a test explains more.
  if (SERVER_IS_RUNNING.includes(error.code)) return { server: entry.id, error, next: undefined };
  const next = error.code === 'SIGN_IN_NEEDED' ? loginCommand(entry, error.message) : testCommand(entry);
  if (entry.origin.target !== undefined) return { server: entry.id, error: withoutCommand(error), next };
  return { server: entry.id, error, origin: entry.origin, next };
}

/** The message may suggest a command about a configured server, and this server is not configured. */
function withoutCommand({ code, message, data, cause }: AppError): AppError {
  return new AppError(code, message.replace(/ *Run: switchboard .*$/s, ''), {
    cause,
    ...(data === undefined ? {} : { data }),
  });
}

const SERVER_IS_RUNNING: readonly ErrorCode[] = ['REQUEST_FAILED', 'METHOD_NOT_FOUND', 'PROMPT_NOT_FOUND'];

/** Builds the error of a command that one server made fail. `name` is the full name of the requested item, if any. */
export function toServerError(failure: ServerFailure, name?: string): AppError {
  const { server, error, origin, next } = failure;
  const where = origin === undefined ? {} : { file: origin.file, line: origin.line };
  return new AppError(error.code, failureText(failure, name), {
    cause: error.cause,
    data: { ...error.data, server, ...where, next },
  });
}

/** Formats on one line: the server, the reason, the location of its entry, and the next command. */
export function failureText({ server, error, origin, next }: ServerFailure, name = server): string {
  const head = name === undefined ? '' : `${quoteIfNeeded(name)}: `;
  const command = next === undefined ? '' : `Run: ${next}`;
  // Some messages already end with the command, which must stay last.
  const text = escapeInvisible(oneLine(error.message, MAX_MESSAGE)).replace(command, '').trim();
  const where = origin === undefined ? '' : formatLocation(origin.file, origin.line);
  const why = text.includes(where) ? text : `${text.replace(/\.$/, '')} (${where}).`;
  if (command === '') return `${head}${why}`;
  return `${head}${why}${/[.!?]$/.test(why) ? '' : '.'} ${command}`;
}

const MAX_MESSAGE = 2_000;
