/** The addresses under which sessions can be read as resources. */
export type SessionPart = 'transcript' | 'diff';

export const SESSIONS_URI = 'codex://sessions';

export function sessionUri(sessionId: string, part?: SessionPart): string {
  const uri = `${SESSIONS_URI}/${encodeURIComponent(sessionId)}`;
  return part === undefined ? uri : `${uri}/${part}`;
}

/** Undefined for what is no address of a session. */
export function readSessionUri(
  uri: string,
): { readonly sessionId: string; readonly part: SessionPart | undefined } | undefined {
  const [, encoded, part] = /^codex:\/\/sessions\/([^/?#]+)(?:\/(transcript|diff))?$/.exec(uri) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return {
      sessionId: decodeURIComponent(encoded),
      part: part === 'transcript' || part === 'diff' ? part : undefined,
    };
  } catch {
    // A percent sign that encodes nothing.
    return undefined;
  }
}
