import { isErrorCode } from '../../base/error-table.ts';
import { isRetryable, type JsonRpcError, toJsonRpcError } from '../../base/error-translation.ts';
import type { AppError, ErrorCode } from '../../base/errors.ts';
import { errorText, isObject, resultText, toJson } from '../../wire/messages.ts';

/** The context that a normalized error includes. */
export interface ErrorContext {
  readonly method: string;
  /** The name that the client used for the tool. */
  readonly publicName: string | undefined;
  readonly serverName: string | undefined;
  /** The URI of the resource that the client requested. */
  readonly uri?: string | undefined;
}

type ErrorKind = 'tool_error' | 'server_error' | 'spawn_error';

/** How errors are presented to one client. */
export interface ErrorStyle {
  /** Forward errors of servers unchanged. */
  readonly isPassthrough: boolean;
  /**
   * Return errors of `tools/call` as results. Codex shows the model a backtrace for an error, but the text of a result.
   */
  readonly asToolResult: boolean;
  /** Returns the command that diagnoses a server. */
  readonly nextCommand: ((serverId: string) => string) | undefined;
  /** Called with every error before it is normalized. */
  readonly debug?: ((text: string) => void) | undefined;
}

/** Returns the response for an error of an upstream, or undefined to forward the original unchanged. */
export function upstreamErrorResponse(
  idText: string,
  original: unknown,
  context: ErrorContext,
  style: ErrorStyle,
): string | undefined {
  const code = isObject(original) ? original['code'] : undefined;
  style.debug?.(`${context.serverName}: ${context.method} failed: ${toJson(original)}`);
  if (style.isPassthrough || typeof code !== 'number' || passesUnchanged(code)) return undefined;
  return writeErrorResponse(
    idText,
    normalize(original as Readonly<Record<string, unknown>>, code, context),
    context,
    style,
  );
}

/** Returns the response for a failure of the gateway or of a connection. */
export function failureResponse(idText: string, error: AppError, context: ErrorContext, style: ErrorStyle): string {
  const { code, message, data } = toJsonRpcError(error);
  if (style.isPassthrough || error.code === 'CANCELLED') return errorText(idText, { code, message, data });
  const kind = KIND_BY_CODE[error.code] ?? 'server_error';
  const described = {
    code,
    message: describe(error, message, context, style),
    data: errorData(kind, isRetryable(error), context, withoutRetryable(data)),
  };
  return writeErrorResponse(idText, described, context, style);
}

/**
 * Returns the message, with the prefix of the original wrapper and the server name. If the server is down, it ends with
 * the command to run.
 */
function describe(error: AppError, message: string, { serverName }: ErrorContext, { nextCommand }: ErrorStyle): string {
  const code = reasonCode(error);
  if (SERVER_UP_CODES.has(code)) return `Server error: ${message}`;
  if (code === 'MESSAGE_TOO_LARGE')
    return `Server error: ${serverName ?? 'a server'} sent too much at once (request less data): ${message}`;
  if (serverName === undefined || !SERVER_DOWN_CODES.has(code)) return message;
  const isComplete = nextCommand === undefined || message.includes(' Run: ');
  const next = isComplete ? '' : `${/[.!?]$/.test(message) ? '' : '.'} Run: ${nextCommand(serverName)}`;
  if (code === 'SPAWN_FAILED' || code === 'CONFIG_INVALID') return `${message}${next}`;
  return `Server error: ${serverName} is down: ${message}${next}`;
}

/** The outcome of a call is unknown for a reason, which decides how the error reads. */
function reasonCode({ code, data }: AppError): ErrorCode {
  const reason = data?.['reason'];
  return code === 'OUTCOME_UNKNOWN' && typeof reason === 'string' && isErrorCode(reason) ? reason : code;
}

/** `retryable` is a member of its own. */
function withoutRetryable(data: unknown): unknown {
  if (!isObject(data) || !('retryable' in data)) return data;
  const { retryable: _, ...rest } = data;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Errors of a single request. The server may well answer the next one. */
const SERVER_UP_CODES: ReadonlySet<ErrorCode> = new Set(['TIMED_OUT', 'CONNECTION_CLOSED', 'BUSY', 'BAD_ANSWER']);

const SERVER_DOWN_CODES: ReadonlySet<ErrorCode> = new Set([
  'SPAWN_FAILED',
  'CONFIG_INVALID',
  'START_FAILED',
  'PROCESS_EXITED',
  'UNREACHABLE',
]);

/** Failures that are not server errors. The error table defines whether a retry can help. */
const KIND_BY_CODE: Readonly<Partial<Record<ErrorCode, ErrorKind>>> = {
  SPAWN_FAILED: 'spawn_error',
  CONFIG_INVALID: 'spawn_error',
  TOOL_NOT_FOUND: 'tool_error',
  NOT_IN_VIEW: 'tool_error',
};

function normalize(original: Readonly<Record<string, unknown>>, code: number, context: ErrorContext): JsonRpcError {
  const message = firstLine(original['message']);
  const [kind, retryable, prefix] = classify(code, original, context);
  const hasPrefix = prefix === '' || message.toLowerCase().startsWith(prefix.toLowerCase());
  return {
    code,
    message: hasPrefix ? message : message === '' ? prefix : `${prefix}: ${message}`,
    data: { ...missingResource(original, context), ...errorData(kind, retryable, context, original) },
  };
}

/** Returns the URI of an unknown resource as the client wrote it. Clients look for it directly in `error.data`. */
function missingResource(
  { code, data }: Readonly<Record<string, unknown>>,
  { uri }: ErrorContext,
): { readonly uri?: string } {
  const isMissing = code === LEGACY_NOT_FOUND || (isObject(data) && typeof data['uri'] === 'string');
  return isMissing && uri !== undefined ? { uri } : {};
}

const LEGACY_NOT_FOUND = -32002;

/** Classifies an error exactly as the original wrapper does. */
function classify(
  code: number,
  { data }: Readonly<Record<string, unknown>>,
  { method }: ErrorContext,
): readonly [ErrorKind, boolean, string] {
  if (code === -32601) return ['server_error', false, 'Method not found'];
  if (code === -32602) return ['server_error', false, 'Invalid params'];
  if (code === -32603) return ['server_error', true, 'Internal error'];
  if (code <= -32000 && code >= -32099)
    return ['server_error', isObject(data) && data['retryable'] === true, 'Server error'];
  return [method === 'tools/call' ? 'tool_error' : 'server_error', false, ''];
}

/**
 * Returns whether clients act on the code itself: a URL to visit; a missing header, capability or version; a
 * cancellation.
 */
function passesUnchanged(code: number): boolean {
  return code === -32042 || (code <= -32020 && code >= -32022) || code === -32800;
}

function errorData(kind: ErrorKind, retryable: boolean, context: ErrorContext, original: unknown) {
  const { publicName, serverName } = context;
  return {
    kind,
    retryable,
    ...(publicName === undefined ? {} : { toolName: publicName }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(original === undefined ? {} : { original }),
  };
}

function writeErrorResponse(
  idText: string,
  error: JsonRpcError,
  { method }: ErrorContext,
  { asToolResult }: ErrorStyle,
): string {
  const data = isObject(error.data) ? withSerializableData(error.data) : {};
  if (!asToolResult || method !== 'tools/call') return errorText(idText, { ...error, data });
  const meta = { 'switchboard/error': { code: error.code, ...data } };
  return resultText(idText, { content: [{ type: 'text', text: error.message }], isError: true, _meta: meta });
}

/** Leaves out an original error that is nested too deep to be serialized, so that the rest can be sent. */
function withSerializableData(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (toJson(data) !== undefined) return data;
  const { original: _, ...rest } = data;
  return rest;
}

function firstLine(message: unknown): string {
  // Uses the shared translation, so that messages are shortened the same way everywhere.
  return typeof message === 'string' && message !== '' ? toJsonRpcError(new Error(message)).message : '';
}
