import { errorTable } from './error-table.ts';
import { type AppError, type ErrorCode, toAppError } from './errors.ts';
import { oneLine } from './text/safe-text.ts';

/**
 * Everything that reads the error table: an error leaves the program as a tool result, as a JSON-RPC error or as an
 * exit status, never with a stack, and comes back from another Switchboard as a JSON-RPC code.
 */

export interface ErrorToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly isError: true;
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** Returns a tool result for a model: one readable line, with the machine-readable part in `_meta`. */
export function toToolResult(thrown: unknown): ErrorToolResult {
  const error = toAppError(thrown);
  return {
    content: [{ type: 'text', text: toSafeLine(error.message) }],
    isError: true,
    _meta: { 'switchboard/error': errorDetails(error) },
  };
}

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Returns an error for a peer. For protocol faults only: a failing tool is a result, not a protocol error. */
export function toJsonRpcError(thrown: unknown): JsonRpcError {
  const error = toAppError(thrown);
  const body = { code: errorTable()[error.code].rpc, message: toSafeLine(error.message) };
  return error.data === undefined ? body : { ...body, data: error.data };
}

/** Maps the code of a response back to an error code. Only our own codes map back; any server may use JSON-RPC's. */
export function fromRpcCode(rpcCode: unknown): ErrorCode | undefined {
  if (typeof rpcCode !== 'number' || rpcCode <= 0) return undefined;
  const found = Object.entries(errorTable()).find(([, { rpc }]) => rpc === rpcCode);
  return found?.[0] as ErrorCode | undefined;
}

/**
 * Returns whether the same request may be sent again. `data.retryable` overrides the table: whether a call that the
 * server has received may run twice depends on its tool.
 */
export function isRetryable({ code, data }: Pick<AppError, 'code' | 'data'>): boolean {
  const own = data?.['retryable'];
  return typeof own === 'boolean' ? own : errorTable()[code].retryable;
}

/** Returns the exit status of a command that fails with this code. */
export function exitStatus(code: ErrorCode): number {
  return errorTable()[code].exit;
}

/** Returns the exit status and the stderr text for a person or a script. No hint if the message names the next step. */
export function toExit(thrown: unknown, options: { json: boolean }): { status: number; text: string } {
  const error = toAppError(thrown);
  const status = exitStatus(error.code);
  const { hint } = errorTable()[error.code];
  if (options.json) return { status, text: toJsonText(error, hint) };
  const message = toSafeLine(error.message);
  const isComplete = WITHOUT_HINT.has(error.code) || NEXT_STEP.test(message);
  return { status, text: isComplete ? message : `${message}\n${hint}` };
}

/** Matches messages that already name the next step. A generic hint would only distract from it. */
const NEXT_STEP = /\b(?:Run|See|Usage): |\bDid you mean |\bcheck before repeating\b/;

/** Errors with these codes differ too much to share one hint. */
const WITHOUT_HINT: ReadonlySet<ErrorCode> = new Set([
  ...(['USAGE', 'CANCELLED', 'DENIED', 'TOOL_FAILED', 'REQUEST_FAILED', 'OUTCOME_UNKNOWN'] as const),
  // Its messages say what to check.
  'SPAWN_FAILED',
]);

function errorDetails(error: AppError): Readonly<Record<string, unknown>> {
  return { ...error.data, code: error.code, retryable: isRetryable(error) };
}

function toJsonText(error: AppError, hint: string): string {
  const { message, code } = error;
  try {
    return JSON.stringify({ error: { ...errorDetails(error), message, hint } });
  } catch {
    // The data cannot be serialized; the failure itself must still be reported.
    return JSON.stringify({ error: { code, retryable: isRetryable(error), message, hint } });
  }
}

/** Returns the text on one line, without characters that control a terminal or are invisible. */
function toSafeLine(text: string): string {
  return oneLine(text) || 'unknown error';
}
