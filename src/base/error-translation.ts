import { type AppError, type ErrorCode, errorTable, toAppError } from './errors.ts';
import { oneLine } from './text/safe-text.ts';

/**
 * The three edges where an error leaves the program. No other code reads the error table.
 * None of them ever shows a stack.
 */

export interface ErrorToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly isError: true;
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** For a model: a tool result with one readable line; the machine-readable part travels in `_meta`. */
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

/** For a peer: protocol faults only. A failing tool is a result, not a protocol error. */
export function toJsonRpcError(thrown: unknown): JsonRpcError {
  const error = toAppError(thrown);
  const body = { code: errorTable[error.code].rpc, message: toSafeLine(error.message) };
  return error.data === undefined ? body : { ...body, data: error.data };
}

/** Back from the code of an answer: only our own codes lead back to one of ours, those of JSON-RPC are everybody's. */
export function fromRpcCode(rpcCode: unknown): ErrorCode | undefined {
  if (typeof rpcCode !== 'number' || rpcCode <= 0) return undefined;
  const found = Object.entries(errorTable).find(([, { rpc }]) => rpc === rpcCode);
  return found?.[0] as ErrorCode | undefined;
}

/** For a person or a script: the exit status and what to print on stderr. A message that names the next step stands alone. */
export function toExit(thrown: unknown, options: { json: boolean }): { status: number; text: string } {
  const error = toAppError(thrown);
  const { exit, hint } = errorTable[error.code];
  if (options.json) return { status: exit, text: toJsonText(error, hint) };
  const message = toSafeLine(error.message);
  const isComplete = WITHOUT_HINT.has(error.code) || NEXT_STEP.test(message);
  return { status: exit, text: isComplete ? message : `${message}\n${hint}` };
}

/** The message already names the next step: a generic hint would only distract from it. */
const NEXT_STEP = /\b(?:Run|See|Usage): |\bDid you mean /;

/** Errors with these codes differ too much to share one hint. */
const WITHOUT_HINT: ReadonlySet<ErrorCode> = new Set(['USAGE', 'CANCELLED', 'DENIED', 'TOOL_FAILED', 'REQUEST_FAILED']);

function errorDetails(error: AppError): Readonly<Record<string, unknown>> {
  return { ...error.data, code: error.code, retryable: errorTable[error.code].retryable };
}

function toJsonText(error: AppError, hint: string): string {
  const { message, code } = error;
  try {
    return JSON.stringify({ error: { ...errorDetails(error), message, hint } });
  } catch {
    // The data cannot be written as JSON; the failure itself must still be told.
    return JSON.stringify({ error: { code, retryable: errorTable[code].retryable, message, hint } });
  }
}

/** On one line, and without what would steer a terminal or cannot be seen. */
function toSafeLine(text: string): string {
  return oneLine(text) || 'unknown error';
}
