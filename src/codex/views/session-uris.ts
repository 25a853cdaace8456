/** The parts of a session that are available as resources. */
export type SessionPart = 'result' | 'transcript' | 'diff';

const PARTS: readonly SessionPart[] = ['result', 'transcript', 'diff'];

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

export interface SessionAddress {
  readonly sessionId: string;
  readonly part: SessionPart | undefined;
  readonly page?: string;
}

/** Returns undefined if the text is not the URI of a session. */
export function parseSessionUri(uri: string): SessionAddress | undefined {
  const [, id, named, page] = ADDRESS.exec(uri) ?? [];
  if (id === undefined) return undefined;
  try {
    const part = PARTS.find((known) => known === named);
    return {
      sessionId: decodeURIComponent(id),
      part,
      ...(page === undefined ? {} : { page: decodeURIComponent(page) }),
    };
  } catch {
    // The URI contains an invalid percent-encoding.
    return undefined;
  }
}

const ADDRESS = /^codex:\/\/sessions\/([^/?#]+)(?:\/(result|transcript|diff)(?:\?page=([^&#?]+))?)?$/;
