/** The addresses under which sessions can be read as resources. */
export type SessionPart = 'result' | 'transcript' | 'diff';

const PARTS: readonly SessionPart[] = ['result', 'transcript', 'diff'];

export const SESSIONS_URI = 'codex://sessions';

/**
 * `page` is one of a part: the cursor that the page before it gave. Half of a surrogate pair, which no address can hold,
 * becomes U+FFFD.
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

/** Undefined for what is no address of a session. */
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
    // A percent sign that encodes nothing.
    return undefined;
  }
}

const ADDRESS = /^codex:\/\/sessions\/([^/?#]+)(?:\/(result|transcript|diff)(?:\?page=([^&#?]+))?)?$/;
