import { type ErrorCode, isErrorCode } from './error-table.ts';

export type { ErrorCode };

/**
 * The only error class. `errorTable` defines the meaning of each code:
 * for a process (exit status), for a peer (JSON-RPC code), for a caller (retryable) and for a person (hint).
 * Decide by `code`, never by text or `instanceof`: the command line and the library each bundle a copy of this class.
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

export type ErrorData = Readonly<Record<string, unknown>>;

/** Checks name and code, because errors of other libraries also have codes such as BUSY. */
export function isAppError(error: unknown): error is AppError {
  if (!(error instanceof Error) || error.name !== 'AppError' || !('code' in error)) return false;
  return typeof error.code === 'string' && isErrorCode(error.code);
}

/** Converts any thrown value to an `AppError`. An unknown one becomes `INTERNAL` and keeps the value as its cause. */
export function toAppError(error: unknown): AppError {
  if (isAppError(error)) return error;
  return new AppError('INTERNAL', messageOf(error), { cause: error });
}

/** Returns the readable text of any thrown value. Never throws. */
export function messageOf(error: unknown): string {
  try {
    const text = String(hasMessage(error) ? error.message || error.name : error);
    return text === '' ? 'unknown error' : text;
  } catch {
    // The conversion of a thrown value to a string may itself throw.
    return 'unknown error';
  }
}

/** Accepts errors from any realm, and the plain objects that some libraries throw. */
function hasMessage(error: unknown): error is { readonly message: unknown; readonly name?: unknown } {
  return error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error);
}
