import type { ServerResponse } from 'node:http';
import { toJsonRpcError } from '../../../base/error-translation.ts';
import { AppError } from '../../../base/errors.ts';
import { errorText } from '../../../wire/messages.ts';
import { lingerAfter } from './linger.ts';

/** A request that the front answers itself, with an HTTP status and a JSON-RPC error. */
export interface Refusal {
  readonly status: number;
  readonly error: AppError;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `idText` is the id of the refused request as JSON. */
export function sendRefusal(response: ServerResponse, refusal: Refusal, idText = 'null'): void {
  if (response.headersSent) return void response.end();
  const body = errorText(idText, toJsonRpcError(refusal.error));
  response.writeHead(refusal.status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...refusal.headers,
  });
  if (refusal.headers?.['Connection'] === 'close') lingerAfter(response);
  response.end(body);
}

export function refuseWithStatus(status: number, message: string, headers?: Refusal['headers']): Refusal {
  const error = new AppError('INVALID_REQUEST', message);
  return headers === undefined ? { status, error } : { status, error, headers };
}

/** The client may try again in a second. */
export function refuseAsBusy(status: 429 | 503, message: string): Refusal {
  return { status, error: new AppError('BUSY', message), headers: { 'Retry-After': '1' } };
}

export function refuseWithoutToken(hasToken: boolean): Refusal {
  const problem = hasToken ? 'The token in the Authorization header is not valid' : 'This server needs a token';
  const message = `${problem}. Send "Authorization: Bearer <token>" with a token that the operator of this server created.`;
  const challenge = hasToken ? 'Bearer error="invalid_token"' : 'Bearer';
  return { status: 401, error: new AppError('SIGN_IN_NEEDED', message), headers: { 'WWW-Authenticate': challenge } };
}

export function refuseUnknownSession(): Refusal {
  const message = 'Mcp-Session-Id names no session of this server: it has ended. Send initialize to start a new one.';
  return { status: 404, error: new AppError('HTTP_SESSION_UNKNOWN', message) };
}

/** The rest of the body is not read, so the connection cannot be used again. */
export function refuseLargeBody(maxBodyBytes: number): Refusal {
  const message = `The request body is larger than the limit of ${maxBodyBytes} bytes. Send less in one request.`;
  return { status: 413, error: new AppError('MESSAGE_TOO_LARGE', message), headers: { Connection: 'close' } };
}

/** The description of a client stays in memory as long as the client, so its size is limited. */
export function refuseLargeDescription(maxBytes: number): Refusal {
  const message = `The capabilities and the description of the client are larger than the limit of ${maxBytes} bytes.`;
  return { status: 413, error: new AppError('MESSAGE_TOO_LARGE', message) };
}
