import type { IncomingMessage } from 'node:http';

/** Returns the media type without its parameters; empty if there is no content type. */
export function mediaType({ headers }: IncomingMessage): string {
  const written = headers['content-type'] ?? '';
  // Fast path for the usual spelling.
  if (written === JSON_TYPE || written === EVENT_STREAM) return written;
  return (written.split(';')[0] ?? '').trim().toLowerCase();
}

export const JSON_TYPE = 'application/json';
export const EVENT_STREAM = 'text/event-stream';
