import { AppError, type ErrorCode } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { loginCommand, testCommand, unsetVariableCommand } from '../../../config/next-command.ts';
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
  const next = nextCommand(entry, error);
  // Its entry worked: the server received the call.
  if (error.code === 'OUTCOME_UNKNOWN') return { server: entry.id, error, next };
  if (entry.origin.target !== undefined) return { server: entry.id, error: withoutCommand(error), next };
  return { server: entry.id, error, origin: entry.origin, next };
}

function nextCommand(entry: ServerEntry, { code, message, data }: AppError): string {
  if (code === 'SIGN_IN_NEEDED') return loginCommand(entry, message);
  return unsetVariableCommand(entry, data) ?? testCommand(entry);
}

/** The message may suggest a command about a configured server, and this server is not configured. */
function withoutCommand({ code, message, data, cause }: AppError): AppError {
  return new AppError(code, message.replace(/ *Run: .*$/s, ''), {
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
  const command = next === undefined ? '' : `Run: ${next}`;
  // Some messages already end with the command, which must stay last.
  const text = withoutSuggestion(escapeInvisible(oneLine(error.message, MAX_MESSAGE)), next).trim();
  const where = origin === undefined ? '' : formatLocation(origin.file, origin.line);
  const why = text.includes(where) ? text : `${text.replace(/\.$/, '')} (${where}).`;
  const isNamed = name === undefined || why.startsWith(`${quoteIfNeeded(name)} needs `);
  const head = isNamed ? '' : `${quoteIfNeeded(name)}: `;
  if (command === '') return `${head}${why}`;
  return `${head}${why}${/[.!?]$/.test(why) ? '' : '.'} ${command}`;
}

/** Removes the same command from the message. The message of a gateway may name our program differently. */
function withoutSuggestion(text: string, next: string | undefined): string {
  if (next === undefined) return text;
  const rest = next.startsWith(programName()) ? next.slice(programName().length) : next;
  const end = text.indexOf(rest);
  const start = end === -1 ? -1 : text.lastIndexOf('Run: ', end);
  return start === -1 ? text : text.slice(0, start) + text.slice(end + rest.length);
}

const MAX_MESSAGE = 2_000;
