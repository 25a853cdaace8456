import { AppError, isAppError } from '../../base/errors.ts';
import { createRedactor } from '../../base/redaction/redact.ts';
import { redactError } from '../../base/redaction/redact-error.ts';
import { oneLine } from '../../base/text/safe-text.ts';

/** The `error` and `error_description` of an OAuth response, safe to show. */
export interface OAuthErrorResponse {
  readonly error: string;
  readonly description: string | undefined;
}

/** Returns the OAuth error in an exception of oauth4webapi; undefined for other exceptions. */
export function readOAuthError(error: unknown): OAuthErrorResponse | undefined {
  if (!(error instanceof Error) || !('error' in error) || typeof error.error !== 'string') return undefined;
  const description = 'error_description' in error ? error.error_description : undefined;
  return {
    error: oneLine(error.error, MAX_ERROR),
    description: typeof description === 'string' ? oneLine(description, MAX_DESCRIPTION) : undefined,
  };
}

const MAX_ERROR = 60;
const MAX_DESCRIPTION = 200;

/** Formats an error, for example `invalid_scope (no such scope)`. */
export function formatOAuthError({ error, description }: OAuthErrorResponse): string {
  return description === undefined || description === '' ? error : `${error} (${description})`;
}

/**
 * Converts a failed request to an authorization server into an `AppError`. Omits the cause on purpose: it contains
 * requests and responses, and therefore codes and tokens. Masks the secrets of the request, which the server may repeat.
 */
export function toOAuthError(error: unknown, { secrets, ...request }: FailedRequest): AppError {
  const redactor = createRedactor(secrets.filter((secret) => secret !== undefined));
  // Only known values: a guess would mask words of our own messages, such as `bearer tokens`.
  return redactError(describeFailure(error, request), { ...redactor, redact: redactor.redactValues });
}

export interface FailedRequest {
  readonly doing: string;
  readonly host: string;
  /** The codes, tokens and client secrets that were sent. */
  readonly secrets: readonly (string | undefined)[];
}

function describeFailure(error: unknown, { doing, host }: Omit<FailedRequest, 'secrets'>): AppError {
  if (isAppError(error)) return error;
  const refusal = readOAuthError(error);
  if (refusal !== undefined) {
    const message = `${host} refused ${doing}: ${formatOAuthError(refusal)}. Sign in again.`;
    return new AppError('SIGN_IN_NEEDED', message, { data: { oauthError: refusal.error } });
  }
  return new AppError(
    'BAD_ANSWER',
    `${host} failed ${doing}: its response is not valid OAuth: ${libraryMessage(error)}.`,
  );
}

/** Returns the library's message, which names members but never contains their values. */
function libraryMessage(error: unknown): string {
  return error instanceof Error ? oneLine(error.message, MAX_DESCRIPTION) : 'unknown error';
}
