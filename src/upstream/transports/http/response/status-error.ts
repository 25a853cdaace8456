import type { IncomingMessage } from 'node:http';
import { AppError, type ErrorCode } from '../../../../base/errors.ts';
import type { Redact } from '../../../../base/redaction/redact.ts';
import { oneLine } from '../../../../base/text/safe-text.ts';

/** An answer that no MCP server gives. `beginning` is that of its body. */
export function toStatusError(
  { statusCode = 0, statusMessage, headers }: IncomingMessage,
  { where, beginning, redact }: StatusErrorOptions,
): AppError {
  const quoted = readableText(redact(beginning), headers['content-type']);
  const moved =
    headers.location === undefined ? '' : ` It points to ${oneLine(redact(headers.location), MAX_QUOTED_LENGTH)}.`;
  const after = headers['retry-after'];
  const wait = after === undefined ? '' : ` It asks to wait: Retry-After ${oneLine(after)}.`;
  const words = `${where} answered HTTP ${statusCode}${statusMessage ? ` ${oneLine(statusMessage)}` : ''}`;
  return new AppError(errorCodeFor(statusCode), `${words}${quoted === '' ? '.' : `: ${quoted}`}${moved}${wait}`, {
    data: { status: statusCode },
  });
}

interface StatusErrorOptions {
  readonly where: string;
  readonly beginning: string;
  /** Applied before anything is cut: half a secret is not recognised. */
  readonly redact: Redact;
}

/** It is busy or behind something that is down: that may be another way in a moment. */
function errorCodeFor(status: number): ErrorCode {
  return status === 429 || status === 408 || status >= 500 ? 'UNREACHABLE' : 'HTTP_FAILED';
}

const MAX_QUOTED_LENGTH = 200;

/** Pages are for browsers: of HTML only its title is worth reading. */
export function readableText(text: string, contentType = ''): string {
  if (!contentType.includes('html') && !/^\s*</.test(text)) return oneLine(text, MAX_QUOTED_LENGTH);
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '';
  return oneLine(title, MAX_QUOTED_LENGTH);
}
