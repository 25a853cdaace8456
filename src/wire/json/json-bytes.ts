/** Reads JSON byte by byte, for text that is known to be valid. */

export const QUOTE = 34;
export const COMMA = 44;
export const COLON = 58;
export const OPEN_BRACKET = 91;
const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const LETTER_F = 102;
export const LETTER_T = 116;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;

/** Returns whether a byte separates values: whitespace, or punctuation whose position is already validated. */
export function isSeparator(byte: number | undefined): boolean {
  return byte === undefined || byte === COMMA || byte === COLON || isSpace(byte);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

export function stringEnd(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return bytes.length;
}

/** Returns the end of a number, true, false or null. */
export function literalEnd(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (!isSeparator(bytes[at]) && bytes[at] !== CLOSE_BRACE && bytes[at] !== CLOSE_BRACKET) at++;
  return at;
}

/**
 * Returns whether the string at `from` is this ASCII word; undefined if it contains escapes and must be decoded.
 * Allocates nothing, because this runs for every member of every tool.
 */
export function equalsString(bytes: Buffer, from: number, word: string): boolean | undefined {
  if (bytes[from] !== QUOTE) return false;
  for (let index = 0; index < word.length; index++) {
    const byte = bytes[from + 1 + index];
    if (byte !== word.charCodeAt(index)) return byte === BACKSLASH ? undefined : false;
  }
  return bytes[from + 1 + word.length] === QUOTE;
}

/**
 * Compares with a word of letters in the same way, but ignores case; undefined also for letters that only fold to
 * ASCII.
 */
export function equalsIgnoringCase(bytes: Buffer, from: number, word: string): boolean | undefined {
  if (bytes[from] !== QUOTE) return false;
  for (let index = 0; index < word.length; index++) {
    const byte = bytes[from + 1 + index] ?? 0;
    if ((byte | CASE_BIT) === (word.charCodeAt(index) | CASE_BIT)) continue;
    return byte === BACKSLASH || byte >= NOT_ASCII ? undefined : false;
  }
  return bytes[from + 1 + word.length] === QUOTE;
}

const CASE_BIT = 32;
const NOT_ASCII = 128;
