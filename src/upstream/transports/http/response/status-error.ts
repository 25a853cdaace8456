import type { IncomingMessage } from 'node:http';
import { AppError, type ErrorCode } from '../../../../base/errors.ts';
import type { Redact } from '../../../../base/redaction/redact.ts';
import { oneLine } from '../../../../base/text/safe-text.ts';

/** Describes an HTTP error without a JSON-RPC body. `beginning` is the start of the body. */
export function toStatusError(
  { statusCode = 0, statusMessage, headers }: IncomingMessage,
  { where, beginning, redact }: StatusErrorOptions,
): AppError {
  const quoted = readableText(redact(beginning), headers['content-type']);
  const moved =
    headers.location === undefined ? '' : ` It points to ${oneLine(redact(headers.location), MAX_QUOTED_LENGTH)}.`;
  const after = headers['retry-after'];
  const wait = after === undefined ? '' : ` Retry-After: ${oneLine(after)}.`;
  const words = `${where} answered HTTP ${statusCode}${statusMessage ? ` ${oneLine(statusMessage)}` : ''}`;
  return new AppError(errorCodeFor(statusCode), `${words}${quoted === '' ? '.' : `: ${quoted}`}${moved}${wait}`, {
    data: { status: statusCode },
  });
}

interface StatusErrorOptions {
  readonly where: string;
  readonly beginning: string;
  /** Applied before truncation, because half a secret is not recognized. */
  readonly redact: Redact;
}

/** Returns `UNREACHABLE` if the server or a proxy is busy or down, because a retry may succeed. */
function errorCodeFor(status: number): ErrorCode {
  return status === 429 || status === 408 || status >= 500 ? 'UNREACHABLE' : 'HTTP_FAILED';
}

const MAX_QUOTED_LENGTH = 200;

/** Returns text for an error message. HTML is meant for browsers, so only its title is used. */
export function readableText(text: string, contentType = ''): string {
  if (!contentType.includes('html') && !/^\s*</.test(text)) return oneLine(text, MAX_QUOTED_LENGTH);
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '';
  return oneLine(title, MAX_QUOTED_LENGTH);
}
