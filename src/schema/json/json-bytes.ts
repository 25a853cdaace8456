/** JSON byte by byte, for text whose grammar is known to be right. */

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

/** What stands between values: blanks, and the marks whose places the grammar already knows. */
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

/** Of a number, true, false or null. */
export function literalEnd(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (!isSeparator(bytes[at]) && bytes[at] !== CLOSE_BRACE && bytes[at] !== CLOSE_BRACKET) at++;
  return at;
}

/**
 * Whether the string at `from` is this ASCII word. Builds nothing, because this is asked for every member of every tool;
 * undefined means that escapes stand in the way and the string must be decoded.
 */
export function equalsString(bytes: Buffer, from: number, word: string): boolean | undefined {
  if (bytes[from] !== QUOTE) return false;
  for (let index = 0; index < word.length; index++) {
    const byte = bytes[from + 1 + index];
    if (byte !== word.charCodeAt(index)) return byte === BACKSLASH ? undefined : false;
  }
  return bytes[from + 1 + word.length] === QUOTE;
}

/** The same for a word of letters in any mixture of capitals; undefined also for letters that only fold to ASCII. */
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
