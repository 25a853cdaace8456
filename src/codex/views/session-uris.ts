/** The parts of a session that are available as resources. */
export type SessionPart = 'result' | 'transcript' | 'diff';

export const SESSIONS_URI = 'codex://sessions';

/**
 * Returns the URI of a session or of one of its parts. `page` is the cursor from the previous page of the part. A lone
 * surrogate, which no URI can contain, becomes U+FFFD.
 */
export function sessionUri(sessionId: string, part?: SessionPart, page?: string): string {
  const uri = `${SESSIONS_URI}/${encode(sessionId)}`;
  if (part === undefined) return uri;
  return page === undefined ? `${uri}/${part}` : `${uri}/${part}?page=${encode(page)}`;
}

function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
