/**
 * The one error class and the one table that says what each code means at every edge:
 * for a process (exit status), for a peer (JSON-RPC code), for a caller (retryable) and for a person (hint).
 * Decide by `code`, never by text and never by `instanceof`: the command line and the library carry their own copies.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly data: ErrorData | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; data?: ErrorData } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data;
  }
}

export type ErrorCode = keyof typeof errorTable;
export type ErrorData = Readonly<Record<string, unknown>>;

export interface ErrorMeaning {
  readonly exit: number;
  readonly rpc: number;
  readonly retryable: boolean;
  readonly hint: string;
}

/** Codes of our own lie outside -32768…-32000, which belongs to JSON-RPC and MCP. */
export const errorTable = {
  INTERNAL: row(1, -32603, false, 'This is a bug in switchboard: please report it with the message above.'),
  USAGE: row(2, -32602, false, 'Run the command with --help to see what it takes.'),
  PARSE_FAILED: row(1, -32700, false, 'Send one JSON-RPC message per line, without line breaks inside it.'),
  INVALID_REQUEST: row(1, -32600, false, 'Send a JSON-RPC 2.0 object with a method or with a result.'),
  METHOD_NOT_FOUND: row(5, -32601, false, 'Ask for a method that the server declared in its capabilities.'),
  INVALID_PARAMS: row(2, -32602, false, 'Correct the params named in the message.'),
  BAD_ARGUMENTS: row(5, -32602, false, "Correct the arguments: the tool's input schema says what is allowed."),
  TOOL_NOT_FOUND: row(5, -32602, false, 'Call one of the tools that tools/list shows.'),
  TOOL_FAILED: row(5, 1005, false, 'The tool itself failed: its message says why.'),
  TOOL_INVALID: row(6, 1006, false, 'Correct the tool definition named in the message.'),
  SPAWN_FAILED: row(4, 1004, false, 'Check that the command exists, is on PATH and may be executed.'),
  PROCESS_EXITED: row(4, 1014, true, 'The process ended: the last lines of its stderr say why.'),
  CONNECTION_CLOSED: row(4, 1024, true, 'The other side closed the connection: connect again.'),
  TIMED_OUT: row(8, 1008, true, 'Try again, or allow more time.'),
  CANCELLED: row(130, -32800, false, 'The caller gave up.'),
  BUSY: row(4, 1034, true, 'Too much is under way: try again in a moment.'),
  MESSAGE_TOO_LARGE: row(1, 1013, false, 'Send less at once, or raise the limit on a message.'),
  BAD_FRAME: row(1, 1011, false, 'The stream is not NDJSON and not Content-Length framed: check what writes to it.'),
  BAD_ANSWER: row(4, 1012, false, 'The server broke JSON-RPC: report it to its authors.'),
  REQUEST_FAILED: row(5, 1015, false, 'The other side refused the request: its code and message say why.'),
  UNSUPPORTED_VERSION: row(4, -32022, false, 'Use one of the protocol versions listed in data.supported.'),
  CAPABILITY_MISSING: row(4, -32021, false, 'Use a client that declares the capability named in the message.'),
} as const satisfies Readonly<Record<string, ErrorMeaning>>;

/** By name and code: other libraries have errors with a code like BUSY too. */
export function isAppError(error: unknown): error is AppError {
  if (!(error instanceof Error) || error.name !== 'AppError' || !('code' in error)) return false;
  return typeof error.code === 'string' && Object.hasOwn(errorTable, error.code);
}

/** Whatever was thrown, as one of ours; the unknown becomes `INTERNAL` and keeps its cause. */
export function toAppError(error: unknown): AppError {
  if (isAppError(error)) return error;
  return new AppError('INTERNAL', messageOf(error), { cause: error });
}

/** The readable text of anything that can be thrown. Never throws itself. */
export function messageOf(error: unknown): string {
  try {
    const text = String(hasMessage(error) ? error.message || error.name : error);
    return text === '' ? 'unknown error' : text;
  } catch {
    // A thrown value may refuse to become a string; there is nothing more to learn from it.
    return 'unknown error';
  }
}

/** Errors of any realm, and the plain objects that some libraries throw. */
function hasMessage(error: unknown): error is { readonly message: unknown; readonly name?: unknown } {
  return error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error);
}

function row(exit: number, rpc: number, retryable: boolean, hint: string): ErrorMeaning {
  return { exit, rpc, retryable, hint };
}
