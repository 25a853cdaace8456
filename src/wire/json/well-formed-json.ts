/**
 * Replaces every lone surrogate in JSON text with U+FFFD, as `String.prototype.toWellFormed` does for a string.
 *
 * JSON allows an escaped lone surrogate such as `\ud83d`, and `JSON.stringify` writes it. Codex parses with serde,
 * which rejects the whole line, so a request would get no response.
 */
export function wellFormedJson(json: string): string {
  if (!mayHaveLoneSurrogates(json)) return json;
  return json.replace(ESCAPE, (found) => (found.length === HALF_LENGTH ? '\ufffd' : found));
}

/** Fast check that returns false for nearly all texts, and true if the text must be searched. */
export function mayHaveLoneSurrogates(json: string): boolean {
  return json.includes('\\u') && SURROGATE.test(json);
}

const SURROGATE = /\\u[dD][89a-fA-F]/;
/** Also matches whole pairs and all other escapes, so that `\\ud83d`, an escaped backslash and letters, stays. */
const ESCAPE = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\./g;
const HALF_LENGTH = '\\ud800'.length;
