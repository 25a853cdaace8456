import { AppError, type ErrorCode, toAppError } from '../../../base/errors.ts';
import { findErrorLine } from '../../../base/process/error-line.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { commandFor } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { findHidingSetting } from '../../../config/tool-filter.ts';
import { CHECK_FIRST } from '../../../upstream/connection/lost-call.ts';
import { isObject } from '../../../wire/messages.ts';
import { type FieldFault, REQUIRED } from '../../input-schema/field-faults.ts';
import { lastLine } from '../../terminal/live-wait.ts';
import type { ReachedServer } from '../servers/reach-server.ts';
import { toServerError, toServerFailure } from '../servers/server-failure.ts';
import type { CallTarget } from './parse-call-arguments.ts';

/** Builds the error for a tool that the config hides. */
export function hiddenToolError({ id, origin, tools }: ServerEntry, tool: string): AppError {
  const why =
    findHidingSetting(tools, tool) === 'disabled_tools'
      ? 'is listed in its disabled_tools'
      : 'is not listed in its enabled_tools';
  const where = formatLocation(origin.file, origin.line);
  const message = `${quoteIfNeeded(`${id}.${tool}`)} is hidden by the config: it ${why} (${where}).`;
  return new AppError('DENIED', `${message} To call it, change that setting.`, { data: { server: id, tool } });
}

/** Builds the error for a tool whose definition the user has not trusted. */
export function heldBackError({ id }: ServerEntry, tool: string, why: string): AppError {
  return new AppError('DENIED', `${quoteIfNeeded(`${id}.${tool}`)} is ${escapeInvisible(why)}`, {
    data: { server: id, tool },
  });
}

/** Builds the error for arguments that the schema of the tool does not allow. */
export function argumentsError({ entry, tool }: CallTarget, faults: readonly FieldFault[]): AppError {
  const name = `${entry.id}.${tool}`;
  const words = faults.map(({ field, message }) => {
    const start = message.startsWith(REQUIRED) ? `${field} is` : `${field}:`;
    return `${start} ${message}${message.endsWith('?') ? '' : '.'}`;
  });
  const next = [...exampleCall(entry, name, faults), `See: ${commandFor('mcp tool', entry.origin, name)}`].join(' ');
  return new AppError('USAGE', `${quoteIfNeeded(name)} does not accept these arguments. ${words.join(' ')} ${next}`, {
    data: { server: entry.id, tool, fields: faults },
  });
}

/** Shows how to pass the missing arguments, if they have plain names. */
function exampleCall({ origin }: ServerEntry, name: string, faults: readonly FieldFault[]): readonly string[] {
  const missing = faults.filter(({ message }) => message.startsWith(REQUIRED)).map(({ field }) => field);
  if (missing.length === 0 || origin.target !== undefined || !missing.every((field) => /^\w+$/.test(field))) return [];
  return [`Example: ${commandFor('call', origin, name)} ${missing.map((field) => `${field}=…`).join(' ')}`];
}

/** Builds the error for a call that was interrupted while its server was starting. */
export function interruptedStart({ id }: ServerEntry, cause: unknown, stderrTail: readonly string[]): AppError {
  const line = lastLine(stderrTail);
  const words =
    line === undefined ? 'It has printed nothing on stderr.' : `Its last stderr line: ${escapeInvisible(line)}`;
  const message = `Interrupted while ${quoteIfNeeded(id)} was starting. ${words}`;
  return new AppError('CANCELLED', message, { cause, data: { server: id } });
}

interface FailedCall {
  readonly server: ReachedServer;
  readonly target: CallTarget;
  readonly timeoutMs: number;
  readonly isCancelled: boolean;
  print(line: string): void;
}

/** Builds the error for a call that failed, was cancelled or timed out. */
export async function callError(thrown: unknown, call: FailedCall): Promise<AppError> {
  const { entry, tool } = call.target;
  if (call.isCancelled)
    return new AppError('CANCELLED', `${quoteIfNeeded(`${entry.id}.${tool}`)} was cancelled.`, { cause: thrown });
  const error = toAppError(thrown);
  return error.code === 'TIMED_OUT' ? timedOutError(call, error) : describeFailure(error, call);
}

function timedOutError({ target: { entry, tool }, timeoutMs: ms }: FailedCall, cause: AppError): AppError {
  const name = quoteIfNeeded(`${entry.id}.${tool}`);
  const { retryable } = cause.data ?? {};
  const advice = retryable === false ? ` ${CHECK_FIRST}` : '';
  const message = `${name} did not answer within ${ms / 1_000} s and was cancelled.${advice} To allow more time, use --timeout.`;
  const data = { server: entry.id, tool, ...(retryable === undefined ? {} : { retryable }) };
  return new AppError('TIMED_OUT', message, { cause, data });
}

/** Names the tool and server that failed; for a server that exited, adds the most relevant stderr line. */
async function describeFailure({ code, message, data, cause }: AppError, call: FailedCall): Promise<AppError> {
  const { entry, tool } = call.target;
  const stderrLine = ENDED_CODES.has(code) ? findErrorLine(call.server.stderrTail()) : undefined;
  const words =
    stderrLine === undefined || message.includes(stderrLine)
      ? ''
      : ` From its stderr: ${oneLine(stderrLine, MAX_STDERR_LINE)}`;
  if (data?.['rpcCode'] === URL_ELICITATION_REQUIRED) await printUrls(data['rpcData'], call);
  const described = new AppError(code, `${oneLine(message, MAX_MESSAGE)}${words}`, { cause, data: { ...data, tool } });
  return toServerError(toServerFailure(entry, described), `${entry.id}.${tool}`);
}

/** Codes of a server that may have explained its end on stderr. */
const ENDED_CODES: ReadonlySet<ErrorCode> = new Set(['PROCESS_EXITED', 'CONNECTION_CLOSED', 'OUTCOME_UNKNOWN']);
const MAX_MESSAGE = 1_500;
const MAX_STDERR_LINE = 300;
/** The server requires a person to visit a URL first; the same call may succeed afterward. */
const URL_ELICITATION_REQUIRED = -32042;
const MAX_URLS = 10;

async function printUrls(rpcData: unknown, { print, target }: FailedCall): Promise<void> {
  const listed = isObject(rpcData) && Array.isArray(rpcData['elicitations']) ? rpcData['elicitations'] : [];
  const { printUrl } = await import('../../elicitation/url.ts');
  for (const one of listed.slice(0, MAX_URLS).filter(isObject)) {
    const words = typeof one['message'] === 'string' ? `: ${escapeInvisible(oneLine(one['message'], 500))}` : '';
    print(`The server ${quoteIfNeeded(target.entry.id)} asks you to visit this URL before you call again${words}`);
    if (typeof one['url'] === 'string') printUrl(one['url'], { print });
  }
}
