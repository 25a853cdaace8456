/**
 * Replaces every lone surrogate in JSON text with U+FFFD, as `String.prototype.toWellFormed` does for a string.
 *
 * JSON allows an escaped lone surrogate such as `\ud83d`, and `JSON.stringify` writes it. Codex parses with serde, which
 * rejects the whole line, so a request would get no answer.
 */
export function wellFormedJson(json: string): string {
  if (!mayHaveLoneSurrogates(json)) return json;
  return json.replace(ESCAPE, (found) => (found.length === HALF_LENGTH ? '\ufffd' : found));
}

/** A fast check: false for nearly all texts; true if a closer look is needed. */
export function mayHaveLoneSurrogates(json: string): boolean {
  return json.includes('\\u') && SURROGATE.test(json);
}

const SURROGATE = /\\u[dD][89a-fA-F]/;
/** Matches whole pairs and all other escapes too, so that `\\ud83d`, an escaped backslash and five letters, is not changed. */
const ESCAPE = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\./g;
const HALF_LENGTH = '\\ud800'.length;
