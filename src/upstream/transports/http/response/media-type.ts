import type { IncomingMessage } from 'node:http';

/** What the body of an answer is, without its parameters; empty when nobody says. */
export function mediaType({ headers }: IncomingMessage): string {
  const written = headers['content-type'] ?? '';
  // As nearly every server writes it.
  if (written === JSON_TYPE || written === EVENT_STREAM) return written;
  return (written.split(';')[0] ?? '').trim().toLowerCase();
}

export const JSON_TYPE = 'application/json';
export const EVENT_STREAM = 'text/event-stream';
